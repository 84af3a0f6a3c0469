package suite_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRunners: `cosi-emu run --suite` runs the embedded suite, and TestSuite the same files. Any
// other user of the suite must be listed here with its purpose, which is not to run them once more.
func TestRunners(t *testing.T) {
	want := map[string]string{
		"cmd/cosi-emu/internal/scenario/run.go":           "runs all, or by label",
		"cmd/cosi-emu/internal/scenario/explore_suite.go": "explores all, or by name or label",
		"internal/scenario/loader/suite.go":               "reads the files",
		"internal/conformance/endtoend/endtoend.go":       "runs those of the area conformance with the driver that is tested",
		"scenarios/suite/suite_test.go":                   "runs all in the tests",
		"scenarios/suite/words_test.go":                   "reads their words",
		"scenarios/suite/bridge_test.go":                  "compares with docs/bridge.md",
		"scenarios/suite/documents_test.go":               "checks descriptions and labels",
		"scenarios/suite/example_test.go":                 "lists the areas",
		"scenarios/suite/failures_test.go":                "compares with docs/known-failures.md",
		"cmd/cosi-emu/scenarios_test.go":                  "compares with what the command selects",
		"test/differential/scenarios_test.go":             "compares the control planes",
		"test/e2e/statuswrites_test.go":                   "runs some on components with a defect",
	}
	got := map[string]string{}
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" || !usesSuite(t, path) {
			return err
		}
		name, err := filepath.Rel(root, path)
		name = filepath.ToSlash(name)
		got[name] = want[name]
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("users of the suite: -want, +got:\n%s", diff)
	}
}

func usesSuite(t *testing.T, path string) bool {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	uses := false
	ast.Inspect(file, func(n ast.Node) bool {
		if selector, ok := n.(*ast.SelectorExpr); ok {
			from, _ := selector.X.(*ast.Ident)
			uses = uses || from != nil && (from.Name+"."+selector.Sel.Name == "suite.FS" || from.Name+"."+selector.Sel.Name == "loader.LoadSuite")
		}
		return true
	})
	return uses
}
