// Command packaging writes files from the commands' help: the page docs/reference/commands.md, or the
// manual pages and completions of shells in a release archive.
package main

import (
	"bytes"
	"errors"
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
	switch len(args) {
	case 1:
		return writeReference(args[0])
	case 3:
		return writeArchiveFiles(args)
	default:
		return errors.New("usage: packaging PAGE | packaging DIRECTORY VERSION SECONDS-SINCE-1970")
	}
}

func writeReference(file string) error {
	var page bytes.Buffer
	if err := command.WriteReference(&page); err != nil {
		return err
	}
	return os.WriteFile(file, page.Bytes(), 0o644) //nolint:gosec // a page for everyone to read
}

func writeArchiveFiles(args []string) error {
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
