// Command page writes docs/operations.md.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	"github.com/cosi-emu/cosi-emu/internal/seam/operations"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return errors.New("usage: page FILE")
	}
	var page bytes.Buffer
	if err := operations.WritePage(&page); err != nil {
		return err
	}
	return os.WriteFile(args[0], page.Bytes(), 0o644) //nolint:gosec // a page for everyone to read
}
