package docs_test

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const module = "github.com/cosi-emu/cosi-emu"

// private matches the folders whose packages are not for users of the Go API.
var private = regexp.MustCompile(`^` + regexp.QuoteMeta(module) + `/(.*/)?(internal|test|cmd|hack|examples)(/|$)`)

// publicPackages returns the paths of the public packages, and the files with the export data of
// these packages and all their imports.
func publicPackages(t *testing.T) (public []string, exports map[string]string) {
	t.Helper()
	const format = "{{if .GoFiles}}{{.ImportPath}} {{.Export}}{{end}}"
	list := exec.CommandContext(t.Context(), "go", "list", "-export", "-deps", "-f", format, "./...")
	list.Dir = ".."
	var stderr bytes.Buffer
	list.Stderr = &stderr
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.Bytes())
	}
	exports = map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		if path == "" {
			continue
		}
		exports[path] = file
		if strings.HasPrefix(path, module+"/") && !private.MatchString(path) {
			public = append(public, path)
		}
	}
	slices.Sort(public)
	return public, exports
}

// TestPublicPackages verifies that docs/go-api.md lists the public packages, and no others.
func TestPublicPackages(t *testing.T) {
	page, err := os.ReadFile("go-api.md")
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z0-9/]+)` \\|").FindAllSubmatch(page, -1) {
		listed = append(listed, module+"/"+string(row[1]))
	}
	slices.Sort(listed)
	public, _ := publicPackages(t)
	if diff := cmp.Diff(public, listed); diff != "" {
		t.Errorf("the module (-), the table of go-api.md (+):\n%s", diff)
	}
}
