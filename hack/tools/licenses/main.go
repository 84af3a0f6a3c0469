// Licenses checks that every module which this repository is built of has an allowed license. It
// reads the module cache and needs no network.
//
// usage: licenses DIRECTORY-OF-A-MODULE...
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// allowed are the SPDX identifiers of permissive licenses, and of the MPL, which
// covers only its own files.
var allowed = []string{"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "ISC", "MIT", "MPL-2.0", "Unlicense", "Zlib"}

// recognized is the part of a license file, in percent, that must be the text of known licenses.
// The rest is copyright lines and notices.
const recognized = 70

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, roots []string) error {
	modules := map[string]string{}
	for _, root := range roots {
		if err := dependencies(ctx, root, modules); err != nil {
			return err
		}
	}
	var errs []error
	for module, dir := range modules {
		if err := check(dir); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", module, err))
		}
	}
	slices.SortFunc(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	if err := errors.Join(errs...); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "licenses: %d modules checked\n", len(modules))
	return nil
}

// dependencies adds the modules of other origin, with their directories, that the packages, tests
// and tools of a module are built of.
func dependencies(ctx context.Context, root string, modules map[string]string) error {
	const format = `{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}{{"\t"}}{{.Dir}}{{end}}{{end}}`
	for _, packages := range []string{"./...", "tool"} {
		cmd := exec.CommandContext(ctx, "go", "list", "-deps", "-test", "-f", format, packages)
		cmd.Dir, cmd.Stderr = root, os.Stderr
		out, err := cmd.Output()
		if err != nil {
			return fmt.Errorf("go list -deps %s in %s: %w", packages, root, err)
		}
		for line := range strings.Lines(string(out)) {
			if module, dir, found := strings.Cut(strings.TrimSpace(line), "\t"); found {
				modules[module] = dir
			}
		}
	}
	return nil
}

// check returns an error unless a module has a license file, and all licenses in
// the first of its license files are allowed.
func check(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		name := strings.ToUpper(entry.Name())
		if entry.IsDir() || !strings.HasPrefix(name, "LICENSE") && !strings.HasPrefix(name, "LICENCE") && !strings.HasPrefix(name, "COPYING") {
			continue
		}
		return checkFile(filepath.Join(dir, entry.Name()))
	}
	return fmt.Errorf("no license file in %s", dir)
}

func checkFile(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	found := licensecheck.Scan(text)
	if found.Percent < recognized {
		return fmt.Errorf("%s is not the text of a known license: %.0f%% of it is recognized", path, found.Percent)
	}
	for _, match := range found.Match {
		if !slices.Contains(allowed, match.ID) {
			return fmt.Errorf("%s: license %s is not allowed", path, match.ID)
		}
	}
	return nil
}
