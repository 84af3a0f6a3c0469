package s3op

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/s3error"
)

// neutral are the parameters of a signature.
var neutral = []string{
	"X-Amz-Algorithm", "X-Amz-Content-Sha256", "X-Amz-Credential", "X-Amz-Date", "X-Amz-Expires",
	"X-Amz-Security-Token", "X-Amz-Signature", "X-Amz-SignedHeaders",
}

// needsValue are parameters that gofakes3 ignores if they are empty. DELETE
// key?uploadId= would delete the object.
var needsValue = []string{"uploadId", "partNumber", "list-type", "versionId"}

// Classify finds the operation of a request by method, level, query and headers. The error is an
// *s3error.Error: NotImplemented for an operation that is neither in the table nor in the rows of
// another service.
func Classify(method string, level Level, query url.Values, header http.Header, others []Operation) (Operation, error) {
	if err := checkCopySource(method, header); err != nil {
		return Operation{}, err
	}
	_, copies := header["X-Amz-Copy-Source"]
	find := func(tables ...[]Operation) *Operation { return match(tables, method, level, query, copies) }
	found, unserved := find(table, others), find(rejected)
	switch {
	case unserved != nil && (found == nil || len(unserved.Selects) > len(found.Selects)):
		return Operation{}, s3error.ErrNotImplemented.With(unserved.Name + " is not implemented")
	case found == nil:
		return Operation{}, s3error.ErrNotImplemented.With(method + " is not implemented for the level " + string(level))
	}
	if err := checkQuery(found, query, others); err != nil {
		return Operation{}, err
	}
	if found.Mutates() && query.Has("versionId") && header.Get("If-Match") != "" {
		return Operation{}, s3error.ErrNotImplemented.With("The header If-Match is implemented for the newest version only")
	}
	return *found, checkHeaders(*found, header)
}

func match(tables [][]Operation, method string, level Level, query url.Values, copies bool) (best *Operation) {
	for _, rows := range tables {
		for i := range rows { // rows are large
			row := &rows[i]
			isOf := row.Method == method && row.Level == level && row.CopySource == copies
			if isOf && selected(row, query) && (best == nil || len(row.Selects) > len(best.Selects)) {
				best = row
			}
		}
	}
	return best
}

func selected(row *Operation, query url.Values) bool {
	return !slices.ContainsFunc(row.Selects, func(name string) bool { return !query.Has(name) })
}

// checkQuery rejects repeated parameters, of which two parsers might read different values, and those of other
// operations. S3 ignores parameters that it does not know.
func checkQuery(op *Operation, query url.Values, others []Operation) error {
	for name, values := range query {
		takes := slices.Contains(op.Selects, name) || slices.Contains(op.Takes, name) || slices.Contains(neutral, name)
		switch {
		case !takes && !changesMeaning(name, others):
			continue
		case !takes:
			return s3error.ErrNotImplemented.With(op.Name + " with the query parameter " + strconv.Quote(name) + " is not implemented")
		case len(values) != 1:
			return s3error.ErrInvalidArgument.With("The query parameter " + name + " is given more than once")
		case values[0] == "" && slices.Contains(needsValue, name):
			return s3error.ErrInvalidArgument.With("The query parameter " + name + " is empty")
		case name == "list-type" && values[0] != "2":
			return s3error.ErrInvalidArgument.With("Invalid List Type specified in Request")
		}
	}
	return nil
}

// selecting are the parameters that select an operation, a part or a version. S3 calls most of them sub-resources.
var selecting = func() map[string]bool {
	names := map[string]bool{"partnumber": true, "versionid": true}
	for _, row := range slices.Concat(table, rejected) {
		if len(row.Selects) > 0 {
			names[strings.ToLower(row.Selects[0])] = true // the others are parameters of this one
		}
	}
	return names
}()

// changesMeaning reports whether a parameter must not be ignored: it selects, in any case of letters, or it is a
// header of S3 in a URL that is not presigned.
func changesMeaning(name string, others []Operation) bool {
	lower := strings.ToLower(name)
	return selecting[lower] || strings.HasPrefix(lower, "x-amz-") ||
		slices.ContainsFunc(others, func(row Operation) bool { return slices.Contains(row.Selects, name) })
}

// checkCopySource rejects the header of copies for requests that copy nothing.
func checkCopySource(method string, header http.Header) error {
	source, copies := header["X-Amz-Copy-Source"]
	switch {
	case !copies, method == http.MethodPut:
		return nil
	case method == http.MethodPost:
		return s3error.ErrMethodNotAllowed.With("POST copies nothing: the header x-amz-copy-source requires PUT")
	}
	return s3error.ErrInvalidArgument.With("You can only specify a copy source header for copy requests.").
		About("ArgumentName", "x-amz-copy-source").About("ArgumentValue", strings.Join(source, ","))
}
