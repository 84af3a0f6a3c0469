package app_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// recipe returns the recipe of the page in a language.
func recipe(t *testing.T, language string) string {
	t.Helper()
	page, err := os.ReadFile("../../docs/testcontainers.md")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile("(?s)```" + language + "\n(.*?)```").FindSubmatch(page)
	if found == nil {
		t.Fatalf("docs/testcontainers.md has no recipe in %s", language)
	}
	return string(found[1])
}

var _ = startS3 // is compiled, and not run: it needs the image in a registry

// TestGo: the recipe in Go is a file of this package, which compiles it.
func TestGo(t *testing.T) {
	compiled, err := os.ReadFile("recipe_test.go")
	if err != nil {
		t.Fatal(err)
	}
	if recipe(t, "go") != string(compiled) {
		t.Error("docs/testcontainers.md has another recipe in Go than test/testcontainers/recipe_test.go; copy the file")
	}
}

// java has the places for the imports and the statements of a recipe.
const java = `IMPORTS
class Recipe {
  static void recipe() {
STATEMENTS  }
}
`

// TestSyntax: programs of the languages accept the syntax of the other recipes. They do not have the libraries.
func TestSyntax(t *testing.T) {
	for language, tc := range map[string]struct {
		file    string
		command []string
		wrap    func(string) string
		// expected are the errors of a correct recipe.
		expected *regexp.Regexp
	}{
		"js": {file: "recipe.mjs", command: []string{"node", "--check"}},
		"python": {file: "recipe.py", command: []string{
			"python3", "-c", "import ast, sys; ast.parse(open(sys.argv[1]).read())",
		}},
		"java": {
			file: "Recipe.java", command: []string{"javac", "-XDrawDiagnostics", "-proc:none"}, wrap: javaFile,
			// javac looks for the libraries once the syntax is correct.
			expected: regexp.MustCompile(`compiler\.err\.(doesnt\.exist|cant\.resolve)`),
		},
	} {
		t.Run(language, func(t *testing.T) {
			if _, err := exec.LookPath(tc.command[0]); err != nil {
				t.Skipf("the syntax of the recipe is not tested: %s is not on this machine", tc.command[0])
			}
			text := recipe(t, language)
			if tc.wrap != nil {
				text = tc.wrap(text)
			}
			file := filepath.Join(t.TempDir(), tc.file)
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			printed, err := exec.CommandContext(t.Context(), tc.command[0], append(tc.command[1:], file)...).CombinedOutput()
			if tc.expected == nil {
				if err != nil {
					t.Errorf("%v\n%s", err, printed)
				}
				return
			}
			if !tc.expected.Match(printed) {
				t.Errorf("%s does not report the missing libraries: %v\n%s", tc.command[0], err, printed)
			}
			for line := range strings.Lines(string(printed)) {
				if strings.Contains(line, "compiler.err.") && !tc.expected.MatchString(line) {
					t.Error(line)
				}
			}
		})
	}
}

func javaFile(recipe string) string {
	var imports, statements strings.Builder
	for line := range strings.Lines(recipe) {
		if strings.HasPrefix(line, "import ") {
			imports.WriteString(line)
		} else {
			statements.WriteString(line)
		}
	}
	return strings.NewReplacer("IMPORTS", imports.String(), "STATEMENTS", statements.String()).Replace(java)
}
