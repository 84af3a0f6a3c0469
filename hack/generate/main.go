// Command generate writes the files that are generated from the code. The Makefile runs the compilers,
// which generate the others.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cosi-emu/cosi-emu/hack/chart"
	"github.com/cosi-emu/cosi-emu/hack/kepcoverage"
	"github.com/cosi-emu/cosi-emu/hack/monitoring"
	"github.com/cosi-emu/cosi-emu/hack/openapi"
	"github.com/cosi-emu/cosi-emu/hack/profiles"
	"github.com/cosi-emu/cosi-emu/hack/rooms"
	conformance "github.com/cosi-emu/cosi-emu/internal/conformance/page"
	scenarios "github.com/cosi-emu/cosi-emu/internal/scenario/generate"
	"github.com/cosi-emu/cosi-emu/internal/seam/operations"
	"github.com/cosi-emu/cosi-emu/test/mutants"
)

//go:generate go run . ../..

// generators return the contents of files by their paths below the root of the repository.
var generators = []func(root string) (map[string][]byte, error){
	chart.Files, monitoring.Files, kepcoverage.Files, rooms.Files, conformance.Files, scenarios.Files, operationsPage,
	mutants.Files, openapi.Files, profiles.Files,
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return errors.New("usage: generate ROOT-OF-THE-REPOSITORY")
	}
	for _, generator := range generators {
		files, err := generator(args[0])
		if err != nil {
			return err
		}
		for name, content := range files {
			path := filepath.Join(args[0], filepath.FromSlash(name))
			if err := os.WriteFile(path, content, 0o644); err != nil { //nolint:gosec // for everyone to read
				return err
			}
		}
	}
	return nil
}

func operationsPage(string) (map[string][]byte, error) {
	var page bytes.Buffer
	err := operations.WritePage(&page)
	return map[string][]byte{"docs/operations.md": page.Bytes()}, err
}
