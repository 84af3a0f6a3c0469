package binaries

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// Find returns the programs of the control plane. It downloads or builds missing ones; a build
// takes minutes. Find then holds a lock, so that other processes wait and share the result. If ctx
// ends, Find stops, deletes partial files and returns the context's error.
func Find(ctx context.Context, opts Options) (Set, error) {
	opts, err := opts.withDefaults()
	if err != nil {
		return Set{}, err
	}
	if opts.Dir != "" {
		return findInDir(opts.Dir, "directory "+opts.Dir, opts)
	}
	if dir := os.Getenv(AssetsVariable); dir != "" {
		return findInDir(dir, AssetsVariable+"="+dir, opts)
	}
	return findInCache(ctx, opts)
}

// findInDir uses a directory that the user named. A problem there is an error, not a
// reason to search elsewhere.
func findInDir(dir, source string, opts Options) (Set, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Set{}, err
	}
	set := setIn(dir)
	set.Source = source
	programs := []string{set.Etcd, set.APIServer, set.ControllerManager}
	if _, err := os.Stat(set.ControllerManager); os.IsNotExist(err) {
		set.ControllerManager = ""
		set.Missing = fmt.Sprintf("there is no %s in %s", ControllerManager, dir)
		programs = programs[:2]
	}
	for _, path := range programs {
		if err := checkProgram(path, opts.platform); err != nil {
			return Set{}, fmt.Errorf("from %s: %w; put a program for this machine there, "+
				"name another directory, or name none to have the programs downloaded or built", source, err)
		}
	}
	return set, nil
}

func findInCache(ctx context.Context, opts Options) (Set, error) {
	c := newCache(opts)
	if set, err := c.load(); err == nil && !c.wants(set) {
		return set, nil
	} else if opts.Local {
		return Set{}, &UnavailableError{err}
	}
	unlock, err := c.lock(ctx)
	if err != nil {
		return Set{}, err
	}
	defer unlock()
	set, err := c.load() // another process may have filled it in the meantime
	if err == nil && !c.wants(set) {
		return set, nil
	}
	c.noteDiscard(err)
	return c.fill(ctx)
}
