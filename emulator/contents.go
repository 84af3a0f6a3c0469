package emulator

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/cosi-emu/cosi-emu/emulator/backend"
)

// Contents lists a part of a bucket.
type Contents = backend.Contents

// maxContents is the maximum number of keys of Contents.
const maxContents = 1000

// Contents lists a bucket without a request in the journal. The list is empty if the driver is not
// the emulator's, or the bucket does not exist.
func (e *Emulator) Contents(ctx context.Context, bucket string) Contents {
	if e.store == nil {
		return Contents{}
	}
	found, err := e.store.Contents(ctx, bucket, maxContents)
	if err != nil {
		return Contents{}
	}
	return Contents(found)
}

// ContentFiles returns the files below the data directory that hold contents of buckets. Small
// contents are in the store's database, as store/vault.db#ID. Contents in memory have no file.
func (e *Emulator) ContentFiles() ([]string, error) {
	if e.opts.DataDir == "" {
		return nil, nil
	}
	all, err := e.inlineContents()
	if err != nil {
		return nil, err
	}
	err = filepath.WalkDir(filepath.Join(e.opts.DataDir, "store", "blobs"), func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // it was deleted meanwhile
		}
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		name, err := filepath.Rel(e.opts.DataDir, path)
		all = append(all, filepath.ToSlash(name))
		return err
	})
	if err != nil {
		return nil, err
	}
	slices.Sort(all)
	return all, nil
}

func (e *Emulator) inlineContents() ([]string, error) {
	if e.store == nil {
		return nil, nil
	}
	ids, err := e.store.InlineContents()
	if err != nil {
		return nil, fmt.Errorf("contents in the database of the store: %w", err)
	}
	var all []string
	for _, id := range ids {
		all = append(all, fmt.Sprintf("store/vault.db#%d", id))
	}
	return all, nil
}
