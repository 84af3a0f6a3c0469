package kepcoverage

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func repository(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		name = filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestFind(t *testing.T) {
	tests := []struct {
		name   string
		source string
		want   string
	}{
		{
			"function", `
// TestA says what it checks.
// KEP: A-1
func TestA(t *testing.T) {}`, "pkg.TestA",
		},
		{
			"call of Run", `
func TestA(t *testing.T) {
	// KEP: A-1
	t.Run("one", func(t *testing.T) {})
}`, "pkg.TestA/one",
		},
		{
			"row of a map", `
func TestA(t *testing.T) {
	for name := range map[string]int{
		// KEP: A-1
		"one": 1,
	} {
		t.Run(name, nil)
	}
}`, "pkg.TestA/one",
		},
		{
			"row with a field name", `
func TestA(t *testing.T) {
	tests := []struct{ wants int; name string }{
		// KEP: A-1
		{wants: 1, name: "one"},
	}
}`, "pkg.TestA/one",
		},
		{
			"row without fields", `
func TestA(t *testing.T) {
	tests := []struct{ name string; wants int }{
		// KEP: A-1
		{"one", 1},
	}
}`, "pkg.TestA/one",
		},
		{
			"row in a subtest", `
func TestA(t *testing.T) {
	t.Run("outer", func(t *testing.T) {
		tests := []row{
			// KEP: A-1
			{"one", 1},
		}
	})
}`, "pkg.TestA/outer/one",
		},
		{
			"table of a test", `
var rows = []row{
	// KEP: A-1
	{name: "one"},
}

func TestA(t *testing.T) { run(t, rows) }`, "pkg.TestA/one",
		},
		{
			"helper of a test", `
func TestA(t *testing.T) { helper(t) }

func helper(t *testing.T) {
	// KEP: A-1
	t.Run("one", nil)
}`, "pkg.TestA/one",
		},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			root := repository(t, map[string]string{"pkg/a_test.go": "package pkg\n" + tc.source, "scenarios/suite/a.yaml": ""})
			found, err := Statements.find(root)
			if err != nil {
				t.Fatal(err)
			}
			if len(found) != 1 || found[0].ID != "A-1" || found[0].Name != tc.want {
				t.Errorf("find() = %v, want A-1 of %s", found, tc.want)
			}
		})
	}
}

// A tag may name several statements. Scenarios are tagged like tests.
func TestFindSeveral(t *testing.T) {
	root := repository(t, map[string]string{
		"pkg/a_test.go":          "package pkg\n\n// KEP: A-1, A-2\n// KEP: B-1\nfunc TestA() {}\n",
		"scenarios/suite/a.yaml": "apiVersion: v1\n# KEP: A-2\nname: a\n",
		"pkg/a.go":               "package pkg\n\n// KEP: A-3\nfunc TestA() {}\n",
	})
	found, err := Statements.find(root)
	if err != nil {
		t.Fatal(err)
	}
	want := []Test{
		{ID: "A-2", Name: "scenarios/suite/a.yaml", Position: "scenarios/suite/a.yaml:2"},
		{ID: "A-1", Name: "pkg.TestA", Position: "pkg/a_test.go:3"},
		{ID: "A-2", Name: "pkg.TestA", Position: "pkg/a_test.go:3"},
		{ID: "B-1", Name: "pkg.TestA", Position: "pkg/a_test.go:4"},
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// The number in the name of a test tags it with a known failure.
func TestFindNumbered(t *testing.T) {
	root := repository(t, map[string]string{
		"pkg/a_test.go":          "package pkg\n\nfunc TestE01E02Lost() {}\n\n// Known failure: E03\nfunc TestOther() {}\n",
		"scenarios/suite/a.yaml": "",
	})
	found, err := KnownFailures.find(root)
	if err != nil {
		t.Fatal(err)
	}
	want := []Test{
		{ID: "E03", Name: "pkg.TestOther", Position: "pkg/a_test.go:5"},
		{ID: "E01", Name: "pkg.TestE01E02Lost", Position: "pkg/a_test.go:3"},
		{ID: "E02", Name: "pkg.TestE01E02Lost", Position: "pkg/a_test.go:3"},
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

func TestMisplacedTags(t *testing.T) {
	tests := map[string]string{
		"a line between":        "// KEP: A-1\n\nfunc TestA() {}",
		"a helper of two tests": "func TestA() { h() }\n\nfunc TestB() { h() }\n\nfunc h() {\n\t// KEP: A-1\n\tt.Run(\"one\", nil)\n}",
		"a name at run time":    "func TestA() {\n\t// KEP: A-1\n\tt.Run(name, nil)\n}",
		"a list of names":       "func TestA() {\n\t// KEP: A-1\n\tfor range []string{\"one\"} {\n\t}\n}",
		"the end of the file":   "func TestA() {}\n\n// KEP: A-1",
	}
	for name, source := range tests {
		t.Run(name, func(t *testing.T) {
			root := repository(t, map[string]string{"pkg/a_test.go": "package pkg\n\n" + source + "\n", "scenarios/suite/a.yaml": ""})
			if found, err := Statements.find(root); err == nil {
				t.Errorf("find() = %v, want an error", found)
			}
		})
	}
}
