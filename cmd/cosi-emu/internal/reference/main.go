// Command reference writes docs/reference/commands.md from the commands' help.
package main

import (
	"bytes"
	"fmt"
	"os"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/command"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("usage: reference FILE")
	}
	var page bytes.Buffer
	if err := command.WriteReference(&page); err != nil {
		return err
	}
	return os.WriteFile(args[0], page.Bytes(), 0o644) //nolint:gosec // a page for everyone to read
}
