package s3op_test

import (
	"net/url"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3op"
)

// documented is a row of the table of operations in docs/s3.md.
type documented struct {
	Name, Method string
	Level        s3op.Level
	Selects      []string
	CopySource   bool
	// Needs is the text of the last column.
	Needs string
}

const (
	sourceToo     = ", and read object data of the source"
	anyAccess     = "any access"
	noKey         = "no key" // browsers ask before they send one
	administrator = "administrator"
	rejected      = "501"
)

// documentation reads the table.
func documentation(t *testing.T) []documented {
	t.Helper()
	text, err := os.ReadFile("../../../../docs/s3.md")
	if err != nil {
		t.Fatal(err)
	}
	var rows []documented
	_, table, _ := strings.Cut(string(text), "| operation | request | needs |\n| --- | --- | --- |\n")
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		if len(cells) != 3 {
			break
		}
		rows = append(rows, documentedRow(t, strings.TrimPrefix(cells[0], "| "), cells[1], strings.TrimSuffix(cells[2], " |")))
	}
	if len(rows) < 100 {
		t.Fatalf("docs/s3.md has a table of %d operations", len(rows))
	}
	return rows
}

func documentedRow(t *testing.T, name, request, needs string) documented {
	t.Helper()
	request, header, _ := strings.Cut(strings.ReplaceAll(request, "`", ""), " + ")
	method, target, _ := strings.Cut(request, " ")
	path, query, _ := strings.Cut(target, "?")
	level, ok := map[string]s3op.Level{"/": s3op.Service, "/BUCKET": s3op.Bucket, "/BUCKET/KEY": s3op.Object}[path]
	values, err := url.ParseQuery(query)
	if !ok || err != nil {
		t.Fatalf("%s: the request %q cannot be read", name, request)
	}
	row := documented{Name: name, Method: method, Level: level, CopySource: header == "x-amz-copy-source", Needs: needs}
	for parameter := range values {
		row.Selects = append(row.Selects, parameter)
	}
	slices.Sort(row.Selects)
	return row
}

// allows reports whether a grant covers the needs of the row.
func (d documented) allows(g fakedriver.Grant) bool {
	needs, fromSource := strings.CutSuffix(d.Needs, sourceToo)
	switch {
	case fromSource && !readable(g.ObjectData), needs == rejected, needs == administrator:
		return false
	case needs == anyAccess, needs == noKey:
		return true
	}
	modes := map[string]fakedriver.AccessMode{
		"object data": g.ObjectData, "object metadata": g.ObjectMetadata, "bucket metadata": g.BucketMetadata,
	}
	direction, categories, _ := strings.Cut(needs, " ")
	for category := range strings.SplitSeq(categories, " or ") {
		if mode := modes[category]; (direction == "read" && readable(mode)) || (direction == "write" && writable(mode)) {
			return true
		}
	}
	return false
}

func readable(m fakedriver.AccessMode) bool {
	return m == fakedriver.ReadOnly || m == fakedriver.ReadWrite
}

func writable(m fakedriver.AccessMode) bool {
	return m == fakedriver.WriteOnly || m == fakedriver.ReadWrite
}

// implemented is the table of the code, in the form of the documentation.
func implemented() []documented {
	var rows []documented
	for _, op := range s3op.Rejected() {
		rows = append(rows, documented{
			Name: op.Name, Method: op.Method, Level: op.Level, Selects: slices.Sorted(slices.Values(op.Selects)), Needs: rejected,
		})
	}
	for _, op := range s3op.Table() {
		row := documented{
			Name: op.Name, Method: op.Method, Level: op.Level, Selects: slices.Sorted(slices.Values(op.Selects)), CopySource: op.CopySource,
		}
		switch {
		case op.Reserved || op.Administrative:
			row.Needs = administrator
		case len(op.Needs) == 0:
			row.Needs = anyAccess
		default:
			var categories []string
			for _, need := range op.Needs {
				categories = append(categories, string(need.Category))
			}
			row.Needs = string(op.Needs[0].Direction) + " " + strings.Join(categories, " or ")
		}
		if op.CopySource {
			row.Needs += sourceToo
		}
		rows = append(rows, row)
	}
	return rows
}

// TestOperationsDocumented compares the documentation with the code, both ways.
func TestOperationsDocumented(t *testing.T) {
	got := slices.DeleteFunc(documentation(t), func(d documented) bool { return d.Needs == noKey })
	want := implemented()
	byName := func(a, b documented) int { return strings.Compare(a.Name, b.Name) }
	slices.SortFunc(got, byName)
	slices.SortFunc(want, byName)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("docs/s3.md is not the table of package s3op: -code, +documentation:\n%s", diff)
	}
}

// TestOperationsComplete uses the SDK's client as the list of S3's operations.
func TestOperationsComplete(t *testing.T) {
	elsewhere := []string{"ListDirectoryBuckets", "WriteGetObjectResponse"} // which S3 serves at other addresses
	rows := documentation(t)
	client := reflect.TypeFor[*s3.Client]()
	found := 0
	for method := range client.Methods() {
		name := method.Name
		if name == "Options" || slices.Contains(elsewhere, name) {
			continue
		}
		found++
		if !slices.ContainsFunc(rows, func(d documented) bool { return d.Name == name }) {
			t.Errorf("docs/s3.md does not say what %s needs", name)
		}
	}
	if found < 100 {
		t.Errorf("the SDK is found to have %d operations", found)
	}
}
