// Command packaging writes the generated files of a release archive from the commands' help: manual
// pages and completions of shells.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/command"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 3 {
		return fmt.Errorf("usage: packaging DIRECTORY VERSION SECONDS-SINCE-1970")
	}
	seconds, err := strconv.ParseInt(args[2], 10, 64)
	if err != nil {
		return err
	}
	dir, root := args[0], command.Root()
	root.DisableAutoGenTag = true
	if err := writePages(filepath.Join(dir, "man", "man1"), root, args[1], time.Unix(seconds, 0).UTC()); err != nil {
		return err
	}
	return writeCompletions(filepath.Join(dir, "completions"), root)
}

func writePages(dir string, root *cobra.Command, version string, date time.Time) error {
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // pages for everyone to read
		return err
	}
	return doc.GenManTree(root, &doc.GenManHeader{
		Section: "1", Date: &date, Source: "cosi-emu " + version, Manual: "cosi-emu",
	}, dir)
}

func writeCompletions(dir string, root *cobra.Command) error {
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // files for everyone to read
		return err
	}
	for file, write := range map[string]func(string) error{
		"cosi-emu.bash": func(file string) error { return root.GenBashCompletionFileV2(file, true) },
		"_cosi-emu":     root.GenZshCompletionFile,
		"cosi-emu.fish": func(file string) error { return root.GenFishCompletionFile(file, true) },
	} {
		if err := write(filepath.Join(dir, file)); err != nil {
			return err
		}
	}
	return nil
}
