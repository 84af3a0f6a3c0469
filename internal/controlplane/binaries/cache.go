package binaries

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// cache is the directory of programs for one version and platform:
//
//	<version>-<os>-<arch>/           the programs and their manifest
//	<version>-<os>-<arch>.lock       held by the process that fills it
//	<version>-<os>-<arch>.build.log  output of the last build
//	.<version>-<os>-<arch>.*/        being filled
type cache struct {
	opts Options
	root string
	key  string
}

func newCache(opts Options) *cache {
	key := fmt.Sprintf("%s-%s-%s", opts.module.version, opts.platform.OS, opts.platform.Arch)
	return &cache{opts: opts, root: opts.CacheDir, key: key}
}

func (c *cache) entry() string { return filepath.Join(c.root, c.key) }

func (c *cache) logFile() string { return filepath.Join(c.root, c.key+".build.log") }

// wants reports whether a set should be completed.
func (c *cache) wants(set Set) bool {
	return c.opts.Complete && set.ControllerManager == ""
}

// load returns the programs if they exist and are valid.
func (c *cache) load() (Set, error) {
	m, err := readManifest(c.entry())
	if err != nil {
		return Set{}, err
	}
	if err := m.verify(c.entry(), c.opts.platform); err != nil {
		return Set{}, err
	}
	set := setIn(c.entry())
	set.Version = m.Version
	set.Source = fmt.Sprintf("%s (%s)", c.entry(), m.Source)
	if _, ok := m.Files[ControllerManager]; !ok {
		set.ControllerManager = ""
		set.Missing = m.Missing
	}
	return set, nil
}

func (c *cache) noteDiscard(err error) {
	if err == nil || errors.Is(err, errNoManifest) {
		return
	}
	c.note("the cache in %s cannot be used and is replaced: %v", c.entry(), err)
}

func (c *cache) note(format string, args ...any) {
	c.opts.Progress(Update{Phase: Note, Message: fmt.Sprintf(format, args...)})
}

const lockRetry = 200 * time.Millisecond

// lock waits until no other process fills the entry. The operating system releases the lock when
// the process ends.
func (c *cache) lock(ctx context.Context) (unlock func(), err error) {
	if err := os.MkdirAll(c.root, 0o700); err != nil {
		return nil, fmt.Errorf("make the cache for control plane programs: %w", err)
	}
	path := c.entry() + ".lock"
	lock := flock.New(path)
	locked, err := lock.TryLock()
	if err == nil && !locked && c.opts.NoBuild {
		return nil, &UnavailableError{errors.New("another process is getting them")}
	}
	if err == nil && !locked {
		holder, _ := os.ReadFile(path) // for the message only
		c.opts.Progress(Update{Phase: Waiting, Item: c.key,
			Message: fmt.Sprintf("another process (%s) is getting the control plane programs", holder)})
		_, err = lock.TryLockContext(ctx, lockRetry)
	}
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	holder := fmt.Appendf(nil, "pid %d", os.Getpid())
	if err := os.WriteFile(path, holder, 0o600); err != nil {
		return nil, errors.Join(err, lock.Unlock())
	}
	return func() { _ = lock.Unlock() }, nil
}
