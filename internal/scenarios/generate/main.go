// Command generate writes the files that are generated from the types of package document: the JSON
// schema for editors, the arguments of verbs for scenarios in code, and the tables in
// docs/scenarios.md. Run it in the directory of package scenarios.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/cosi-emu/cosi-emu/internal/scenarios/schema"
)

// documentation is the page with tables of the types.
const documentation = "../docs/scenarios.md"

func main() {
	if err := generate(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func generate() error {
	files, err := generated(documentation)
	if err != nil {
		return err
	}
	for name, content := range files {
		if err := os.WriteFile(name, content, 0o644); err != nil { //nolint:gosec // sources are for everyone to read
			return err
		}
	}
	return nil
}

func generated(documentation string) (map[string][]byte, error) {
	described, err := schema.Generate()
	if err != nil {
		return nil, err
	}
	written, err := arguments()
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(documentation)
	if err != nil {
		return nil, err
	}
	if text, err = page(text); err != nil {
		return nil, err
	}
	faults := filepath.Join(filepath.Dir(documentation), "faults.md")
	effects, err := os.ReadFile(faults)
	if err != nil {
		return nil, err
	}
	if effects, err = faultPage(effects); err != nil {
		return nil, err
	}
	return map[string][]byte{
		"schema.json": described, "zz_generated.arguments.go": written, documentation: text, faults: effects,
	}, nil
}
