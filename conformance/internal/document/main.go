// Command document writes the table of the checks into docs/conformance.md.
package main

import (
	"fmt"
	"os"

	"github.com/cosi-emu/cosi-emu/conformance/internal/page"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("usage: document FILE")
	}
	text, err := os.ReadFile(args[0]) //nolint:gosec // the caller names it
	if err != nil {
		return err
	}
	text, err = page.Update(text)
	if err != nil {
		return err
	}
	return os.WriteFile(args[0], text, 0o644) //nolint:gosec // a page for everyone to read
}
