package app_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// programs returns the programs of a page in a language.
func programs(t *testing.T, page, language string) []string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, found := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllSubmatch(text, -1) {
		all = append(all, string(found[1]))
	}
	if all == nil {
		t.Fatalf("%s has no program in %s", page, language)
	}
	return all
}

const recipes, sdks = "../../docs/testcontainers.md", "../../docs/sdks.md"

// TestGo: the recipe in Go is a file of this package, which compiles it.
func TestGo(t *testing.T) {
	compiled, err := os.ReadFile("recipe_test.go")
	if err != nil {
		t.Fatal(err)
	}
	if programs(t, recipes, "go")[0] != string(compiled) {
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

// TestSyntax: programs of the languages accept the syntax of the other recipes, and of the programs for the SDKs. They do
// not have the libraries.
func TestSyntax(t *testing.T) {
	for language, tc := range map[string]syntax{
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
			for _, text := range slices.Concat(programs(t, recipes, language), programs(t, sdks, language)) {
				tc.check(t, text)
			}
		})
	}
}

// syntax is how a program judges the syntax of a language.
type syntax struct {
	file    string
	command []string
	wrap    func(string) string
	// expected are the errors of a correct text.
	expected *regexp.Regexp
}

func (s syntax) check(t *testing.T, text string) {
	t.Helper()
	if s.wrap != nil {
		text = s.wrap(text)
	}
	file := filepath.Join(t.TempDir(), s.file)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	printed, err := exec.CommandContext(t.Context(), s.command[0], append(s.command[1:], file)...).CombinedOutput()
	if s.expected == nil {
		if err != nil {
			t.Errorf("%v\n%s", err, printed)
		}
		return
	}
	if !s.expected.Match(printed) {
		t.Errorf("%s does not report the missing libraries: %v\n%s", s.command[0], err, printed)
	}
	for line := range strings.Lines(string(printed)) {
		if strings.Contains(line, "compiler.err.") && !s.expected.MatchString(line) {
			t.Errorf("%s in\n%s", line, text)
		}
	}
}

func javaFile(recipe string) string {
	if strings.Contains(recipe, "\nclass ") { // it is a whole file
		return recipe
	}
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
