// Command release makes the files of a release: archives with checksums, bills of materials, a
// Homebrew formula, a Helm chart, and a container image. The same commit gives the same bytes. It is a module of
// its own, because nothing else requires its libraries.
//
//	go run -C hack/release . -version v0.2.0
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/cosi-emu/cosi-emu/hack/release/internal/release"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	var (
		o         release.Options
		platforms string
		changes   bool
	)
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	flags.StringVar(&o.Root, "root", filepath.Join("..", ".."), "directory of the repository")
	flags.StringVar(&o.Version, "version", "", "version, such as v0.2.0 (required)")
	flags.StringVar(&o.Out, "out", "", "directory for the files (default: bin/release/VERSION of the repository)")
	flags.StringVar(&platforms, "platforms", strings.Join(release.Platforms(), ","), "platforms, OS/ARCH")
	flags.BoolVar(&changes, "allow-changes", false, "make a release of a working tree that is not committed")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if o.Version == "" {
		return errors.New("-version is required: make release VERSION=v0.2.0")
	}
	if o.Out == "" {
		o.Out = filepath.Join(o.Root, "bin", "release", o.Version)
	}
	o.Platforms = strings.Split(platforms, ",")
	var err error
	if o.Time, err = release.CommitTime(ctx, o.Root, changes); err != nil {
		return err
	}
	return release.Make(ctx, o)
}
