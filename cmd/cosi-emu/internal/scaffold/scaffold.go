// Package scaffold writes commented starter files: a scenario, one to explore, a test of a driver in Go, and a
// workflow for CI.
package scaffold

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"go/build"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"
)

// Kind is a kind of starter file.
type Kind string

// The kinds.
const (
	Scenario   Kind = "scenario"
	Explore    Kind = "explore"
	DriverTest Kind = "driver-test"
	CI         Kind = "ci"
)

// Kinds returns all kinds.
func Kinds() []string {
	return []string{string(Scenario), string(Explore), string(DriverTest), string(CI)}
}

var kinds = map[Kind]struct{ template, file string }{
	Scenario:   {"scenario.yaml", "scenario.yaml"},
	Explore:    {"explore.yaml", "lifecycle.yaml"},
	DriverTest: {"driver_test.go.tmpl", "cosi_test.go"},
	CI:         {"ci.yaml", filepath.Join(".github", "workflows", "cosi.yaml")},
}

// ErrKind is the error of a kind that does not exist.
var ErrKind = errors.New("unknown kind of file")

// DefaultFile returns the default path for a kind of file.
func DefaultFile(kind Kind) (string, error) {
	known, ok := kinds[kind]
	if !ok {
		return "", fmt.Errorf("%w %q: it can be %s", ErrKind, kind, strings.Join(Kinds(), ", "))
	}
	return known.file, nil
}

//go:embed templates
var templates embed.FS

type values struct{ File, Name, Package, Program string }

// Render returns the content of a file of a kind. The program is the Go package of a driver.
func Render(kind Kind, file, program string) ([]byte, error) {
	if _, err := DefaultFile(kind); err != nil {
		return nil, err
	}
	parsed, err := template.New(kinds[kind].template).Delims("[[", "]]").ParseFS(templates, "templates/"+kinds[kind].template)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	err = parsed.Execute(&text, values{
		File: filepath.ToSlash(file), Name: scenarioName(file), Package: testPackage(filepath.Dir(file)), Program: program,
	})
	return text.Bytes(), err
}

var notInName = regexp.MustCompile(`[^a-z0-9]+`)

// scenarioName returns a DNS label for the scenario in a file.
func scenarioName(file string) string {
	base := filepath.Base(file)
	name := notInName.ReplaceAllString(strings.ToLower(strings.TrimSuffix(base, filepath.Ext(base))), "-")
	const longest = 63
	name = strings.Trim(name[:min(len(name), longest)], "-")
	if name == "" {
		return "mine"
	}
	return name
}

// testPackage returns the name of the package for tests in a directory: the package of its Go
// files, with _test.
func testPackage(dir string) string {
	found, err := build.ImportDir(dir, 0)
	if err != nil || found.Name == "" {
		return "driver_test"
	}
	return found.Name + "_test"
}

const (
	dirMode  = 0o755
	fileMode = 0o644
)

// Write writes a file, and the directories that it requires. It replaces an existing file only if
// replace is set.
func Write(file string, content []byte, replace bool) error {
	if err := os.MkdirAll(filepath.Dir(file), dirMode); err != nil {
		return err
	}
	flags := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if replace {
		flags = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	out, err := os.OpenFile(file, flags, fileMode)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s already exists: name another file, or replace it with --force", file)
	}
	if err != nil {
		return err
	}
	_, err = out.Write(content)
	return errors.Join(err, out.Close())
}
