package s3op

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/cosi-emu/cosi-emu/internal/s3error"
)

var neutral = []string{
	"x-id", "X-Amz-Algorithm", "X-Amz-Content-Sha256", "X-Amz-Credential", "X-Amz-Date", "X-Amz-Expires",
	"X-Amz-Security-Token", "X-Amz-Signature", "X-Amz-SignedHeaders",
}

// needsValue are parameters that gofakes3 ignores if they are empty. DELETE
// key?uploadId= would delete the object.
var needsValue = []string{"uploadId", "partNumber", "list-type", "versionId"}

// Classify finds the operation of a request by method, level, query and headers. The error is an
// *s3error.Error: NotImplemented for an operation that is neither in the table nor in the rows of
// another service.
func Classify(method string, level Level, query url.Values, header http.Header, others []Operation) (Operation, error) {
	names, err := queryNames(query)
	if err != nil {
		return Operation{}, err
	}
	_, copies := header["X-Amz-Copy-Source"]
	found, ok := match(method, level, names, copies, others)
	if !ok {
		return Operation{}, s3error.ErrNotImplemented
	}
	if extra, is := unknown(found, names); is {
		return Operation{}, s3error.ErrNotImplemented.With("The query parameter " + strconv.Quote(extra) +
			" implies functionality that is not implemented")
	}
	if query.Has("list-type") && query.Get("list-type") != "2" {
		return Operation{}, s3error.ErrInvalidArgument.With("Invalid List Type specified in Request")
	}
	if found.Mutates() && query.Has("versionId") && header.Get("If-Match") != "" {
		return Operation{}, s3error.ErrNotImplemented.With("The header If-Match is implemented for the newest version only")
	}
	return found, checkHeaders(found, header)
}

// queryNames returns the parameters that select an operation. It rejects repeated parameters, of
// which two parsers might read different values.
func queryNames(query url.Values) ([]string, error) {
	names := make([]string, 0, len(query))
	for name, values := range query {
		if len(values) != 1 {
			return nil, s3error.ErrInvalidArgument.With("The query parameter " + name + " is given more than once")
		}
		if slices.Contains(needsValue, name) && values[0] == "" {
			return nil, s3error.ErrInvalidArgument.With("The query parameter " + name + " is empty")
		}
		if !slices.Contains(neutral, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

func match(method string, level Level, names []string, copies bool, others []Operation) (Operation, bool) {
	var best *Operation
	for _, rows := range [...][]Operation{table, others} {
		for i := range rows { // rows are large
			row := &rows[i]
			isOf := row.Method == method && row.Level == level && row.CopySource == copies
			if isOf && selected(row, names) && (best == nil || len(row.Selects) > len(best.Selects)) {
				best = row
			}
		}
	}
	if best == nil {
		return Operation{}, false
	}
	return *best, true
}

func selected(row *Operation, names []string) bool {
	for _, name := range row.Selects {
		if !slices.Contains(names, name) {
			return false
		}
	}
	return true
}

func unknown(row Operation, names []string) (string, bool) {
	for _, name := range names {
		if !slices.Contains(row.Selects, name) && !slices.Contains(row.Takes, name) {
			return name, true
		}
	}
	return "", false
}
