package scenario

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/internal/scenario/loader"
	"github.com/cosi-emu/cosi-emu/scenarios/suite"
)

// exploreSuite explores scenarios that ship with the program. Exploration reads files, so they are copied.
func (x *exploration) exploreSuite(ctx context.Context, streams cli.Streams) (err error) {
	_, scenarios, err := x.selection.load(streams.Err, loader.LoadSuite)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "cosi-emu-suite-")
	if err != nil {
		return fmt.Errorf("copy the suite: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := os.CopyFS(dir, suite.FS); err != nil {
		return fmt.Errorf("copy the suite: %w", err)
	}
	var files []string
	for _, s := range scenarios {
		if file := filepath.Join(dir, filepath.FromSlash(s.Position.File)); !slices.Contains(files, file) {
			files = append(files, file)
		}
	}
	if len(files) == 1 {
		return x.single(ctx, streams, files[0])
	}
	return x.several(ctx, streams, files)
}
