package binaries

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// fill gets the programs and adds them to the cache atomically. The caller holds the
// lock.
func (c *cache) fill(ctx context.Context) (Set, error) {
	stage, err := c.newStage()
	if err != nil {
		return Set{}, err
	}
	defer os.RemoveAll(stage) //nolint:errcheck // the next fill removes what remains
	bin := filepath.Join(stage, "bin")
	m, err := c.obtain(ctx, stage, bin)
	if err != nil {
		return Set{}, err
	}
	if err := m.seal(bin, c.opts.platform); err != nil {
		return Set{}, err
	}
	if err := c.install(stage, bin); err != nil {
		return Set{}, fmt.Errorf("put the control plane programs into the cache: %w", err)
	}
	return c.load()
}

// newStage creates a directory next to the entry, so that a rename can install it. It removes
// directories of killed processes.
func (c *cache) newStage() (string, error) {
	pattern := "." + c.key + ".*"
	stale, err := filepath.Glob(filepath.Join(c.root, pattern))
	if err != nil {
		return "", err
	}
	for _, dir := range stale {
		if err := os.RemoveAll(dir); err != nil {
			return "", fmt.Errorf("remove the remains of an interrupted run: %w", err)
		}
	}
	return os.MkdirTemp(c.root, pattern)
}

// install moves bin into the cache. A rename cannot replace a directory with files, so
// an invalid entry is moved to the stage first, which is removed.
func (c *cache) install(stage, bin string) error {
	err := os.Rename(c.entry(), filepath.Join(stage, "replaced"))
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	if err := os.Rename(bin, c.entry()); err != nil {
		return err
	}
	return syncPath(c.root)
}

// obtain downloads the programs to bin, or builds them.
func (c *cache) obtain(ctx context.Context, stage, bin string) (*manifest, error) {
	if err := os.Mkdir(bin, 0o700); err != nil {
		return nil, err
	}
	m, downloadErr := c.download(ctx, stage, bin)
	if downloadErr == nil {
		return m, nil
	}
	if ctx.Err() != nil {
		return nil, downloadErr
	}
	if c.opts.NoBuild {
		return nil, &UnavailableError{downloadErr}
	}
	c.note("cannot download the control plane (%v); building it from the Go module proxy instead, "+
		"which takes several minutes, once", downloadErr)
	// The go command does not overwrite a partial program.
	if err := errors.Join(os.RemoveAll(bin), os.Mkdir(bin, 0o700)); err != nil {
		return nil, err
	}
	if err := c.build(ctx, stage, bin, c.opts.module.targets); err != nil {
		return nil, fmt.Errorf("get the control plane programs: %w (and no download: %w)", err, downloadErr)
	}
	return &manifest{Version: c.opts.module.version, Source: "built from the Go module proxy"}, nil
}

func syncPath(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // the sync is what counts
	return file.Sync()
}
