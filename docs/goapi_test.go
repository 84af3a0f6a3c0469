package docs_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const module = "github.com/cosi-emu/cosi-emu"

// private matches the folders whose packages are not for users of the Go API.
var private = regexp.MustCompile(`^` + regexp.QuoteMeta(module) + `/(.*/)?(internal|test|cmd|hack|examples)(/|$)`)

// packages are the public packages, and the files with the export data of these and of all
// that they import, by path.
type packages struct {
	public  []string
	exports map[string]string
}

// publicPackages returns the packages of the module. A test that calls it is skipped with -short: it
// compiles them.
func publicPackages(t *testing.T) packages {
	t.Helper()
	if testing.Short() {
		t.Skip("it compiles the packages of the module")
	}
	found, err := listPackages()
	if err != nil {
		t.Fatal(err)
	}
	return found
}

var listPackages = sync.OnceValues(func() (packages, error) {
	const format = "{{if .GoFiles}}{{.ImportPath}} {{.Export}}{{end}}"
	list := exec.CommandContext(context.Background(), "go", "list", "-export", "-deps", "-f", format, "./...")
	list.Dir = ".."
	var stderr bytes.Buffer
	list.Stderr = &stderr
	out, err := list.Output()
	if err != nil {
		return packages{}, fmt.Errorf("go list: %w\n%s", err, stderr.Bytes())
	}
	found := packages{exports: map[string]string{}}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		if path == "" {
			continue
		}
		found.exports[path] = file
		if strings.HasPrefix(path, module+"/") && !private.MatchString(path) {
			found.public = append(found.public, path)
		}
	}
	slices.Sort(found.public)
	return found, nil
})

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
	if diff := cmp.Diff(publicPackages(t).public, listed); diff != "" {
		t.Errorf("the module (-), the table of go-api.md (+):\n%s", diff)
	}
}
