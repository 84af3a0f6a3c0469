package s3op_test

import (
	"net/http"
	"net/url"
	"slices"
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3op"
)

// FuzzClassify generates requests. The result must be an operation of the table with the method and
// every parameter that selects an operation: it would be ignored.
func FuzzClassify(f *testing.F) {
	f.Add("DELETE", "object", "uploadId=&uploadId=1", "", "")
	f.Add("PUT", "object", "tagging", "X-Amz-Tagging", "a=b")
	f.Add("GET", "bucket", "=", "", "") // a parameter without name
	for _, row := range s3op.Table() {
		query := url.Values{}
		for _, name := range slices.Concat(row.Selects, row.Takes) {
			query.Set(name, "2")
		}
		header := ""
		if row.CopySource {
			header = "X-Amz-Copy-Source"
		}
		f.Add(row.Method, string(row.Level), query.Encode(), header, "b/k")
	}
	f.Fuzz(func(t *testing.T, method, level, raw, name, value string) {
		query, err := url.ParseQuery(raw)
		if err != nil {
			return
		}
		header := http.Header{}
		if name != "" {
			header.Set(name, value)
		}
		op, err := s3op.Classify(method, s3op.Level(level), query, header, nil)
		if err != nil {
			return
		}
		checkFound(t, op, method, level, query, header)
	})
}

func checkFound(t *testing.T, op s3op.Operation, method, level string, query url.Values, header http.Header) {
	t.Helper()
	if op.Name == "" || op.Method != method || string(op.Level) != level {
		t.Errorf("%s of a %s was found to be %+v", method, level, op)
	}
	if slices.ContainsFunc(op.Selects, func(name string) bool { return !query.Has(name) }) {
		t.Errorf("%s was found by %v, and %v", op.Name, op.Selects, query)
	}
	checkParameters(t, op, query)
	if _, copies := header["X-Amz-Copy-Source"]; copies != op.CopySource {
		t.Errorf("%s was found with the headers %v", op.Name, header)
	}
}

func checkParameters(t *testing.T, op s3op.Operation, query url.Values) {
	t.Helper()
	for name, values := range query {
		takes := slices.Contains(op.Selects, name) || slices.Contains(op.Takes, name)
		isOfOthers := slices.ContainsFunc(slices.Concat(s3op.Table(), s3op.Rejected()), func(row s3op.Operation) bool {
			return len(row.Selects) > 0 && row.Selects[0] == name
		})
		if takes && len(values) != 1 || !takes && isOfOthers {
			t.Errorf("%s was found, and the parameter %q of %v is ignored", op.Name, name, query)
		}
	}
}
