// Command generate writes what is generated from the types of package document:
// the JSON schema for editors, and the arguments of verbs for scenarios in code.
// Run it in the directory of package scenarios.
package main

import (
	"fmt"
	"os"

	"github.com/cosi-emu/cosi-emu/scenarios/schema"
)

func main() {
	if err := generate(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func generate() error {
	described, err := schema.Generate()
	if err != nil {
		return err
	}
	if err := os.WriteFile("schema.json", described, 0o644); err != nil { //nolint:gosec // a source for everyone to read
		return err
	}
	written, err := arguments()
	if err != nil {
		return err
	}
	return os.WriteFile("zz_generated.arguments.go", written, 0o644) //nolint:gosec // as above
}
