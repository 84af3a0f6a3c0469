package loader

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

// debounce is the required pause after a change: editors write in several steps.
const debounce = 100 * time.Millisecond

// Watch detects changes of scenario files.
type Watch struct {
	paths   []string
	watcher *fsnotify.Watcher
	prints  map[string]string // the last state of the files
}

// NewWatch watches the paths that a set was loaded from. It must be closed.
func NewWatch(paths []string, set *Set) (*Watch, error) {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("watch files: %w", err)
	}
	w := &Watch{paths: paths, watcher: watcher, prints: set.prints}
	if err := w.follow(set); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// Close ends watching, and makes Changed return.
func (w *Watch) Close() error { return w.watcher.Close() }

// follow watches all directories of a set. Files are not watched themselves,
// because editors replace them.
func (w *Watch) follow(set *Set) error {
	if set == nil {
		return nil
	}
	known := w.watcher.WatchList()
	for _, dir := range set.dirs {
		if slices.Contains(known, dir) {
			continue
		}
		if err := w.watcher.Add(dir); err != nil {
			return fmt.Errorf("watch directory %s: %w", dir, err)
		}
	}
	return nil
}

// Changed waits for a change, loads everything again, and returns the scenarios whose files, or
// used files, have changed: possibly none. The error belongs to the context or to Load. After an
// error of Load, call Changed again.
func (w *Watch) Changed(ctx context.Context) ([]*spec.Scenario, error) {
	if err := w.wait(ctx); err != nil {
		return nil, err
	}
	set, err := Load(w.paths)
	if err := errors.Join(err, w.follow(set)); err != nil {
		return nil, err
	}
	var changed []*spec.Scenario
	for _, s := range set.Scenarios {
		file := filepath.FromSlash(s.Position.File)
		if set.prints[file] != w.prints[file] {
			changed = append(changed, s)
		}
	}
	w.prints = set.prints
	return changed, nil
}

// wait returns after a change, when no more follow.
func (w *Watch) wait(ctx context.Context) error {
	quiet := time.NewTimer(debounce)
	quiet.Stop()
	defer quiet.Stop()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case event, open := <-w.watcher.Events:
			if !open {
				return fsnotify.ErrClosed
			}
			if event.Op != fsnotify.Chmod {
				quiet.Reset(debounce)
			}
		case err := <-w.watcher.Errors:
			if err != nil { // changes may have been missed: check everything
				quiet.Reset(debounce)
			}
		case <-quiet.C:
			return nil
		}
	}
}
