package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestGoExamples verifies that each section of go-api.md about a package shows code of its
// example_test.go, which the tests of the package compile and run, with the imports that this code needs.
func TestGoExamples(t *testing.T) {
	page, err := os.ReadFile("go-api.md")
	if err != nil {
		t.Fatal(err)
	}
	//nolint:gocritic // with (?m), ^ begins a line
	section := regexp.MustCompile("(?ms)^## ([a-z0-9/]+)\n.*?^```go\n(import .*?\n\n)(.*?)^```\n")
	sections := section.FindAllSubmatch(page, -1)
	if len(sections) < 10 {
		t.Fatalf("%d sections with imports and code", len(sections))
	}
	for _, section := range sections {
		name, imports, shown := string(section[1]), string(section[2]), string(section[3])
		if !strings.HasPrefix(imports, "import (\n") {
			t.Errorf("section %s: the imports are in no parentheses", name)
			continue
		}
		for !strings.HasSuffix(imports, ")\n\n") { // a group of imports ended
			group, rest, ok := strings.Cut(shown, "\n\n")
			if !ok {
				t.Fatalf("section %s: the imports have no end", name)
			}
			imports, shown = imports+group+"\n\n", rest
		}
		file := "../" + name + "/example_test.go"
		code, err := os.ReadFile(file) //nolint:gosec // a file of this repository, which the page names
		if err != nil {
			t.Error(err)
			continue
		}
		if !strings.Contains(string(code), shown) {
			t.Errorf("the code of section %s is not in %s", name, file)
		}
		want := needed(t, string(code), shown)
		if diff := cmp.Diff(want, importsOf(t, "package p\n\n"+imports)); diff != "" {
			t.Errorf("imports of section %s: -want, +got:\n%s", name, diff)
		}
	}
}

// needed returns those imports of a file that a part of it uses.
func needed(t *testing.T, file, part string) map[string]string {
	t.Helper()
	used := map[string]bool{}
	ast.Inspect(parse(t, "package p\n\n"+part), func(n ast.Node) bool {
		if selector, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := selector.X.(*ast.Ident); ok {
				used[x.Name] = true
			}
		}
		return true
	})
	all := importsOf(t, file)
	for name := range all {
		if !used[name] {
			delete(all, name)
		}
	}
	return all
}

// importsOf returns the paths of a file's imports, by their names in the file.
func importsOf(t *testing.T, file string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, spec := range parse(t, file).Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		name := path.Base(imported)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		all[name] = imported
	}
	return all
}

func parse(t *testing.T, code string) *ast.File {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), "", code, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}
