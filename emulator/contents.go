package emulator

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/cosi-emu/cosi-emu/emulator/backend"
	"github.com/cosi-emu/cosi-emu/internal/store"
)

// maxContents is the maximum number of keys of Contents.
const maxContents = 1000

// backendStore is the store of an emulator as its users see it.
type backendStore struct {
	*store.Store

	emulator *Emulator
}

// AdminEmptyBucket implements backend.Store.
func (s backendStore) AdminEmptyBucket(ctx context.Context, bucket string) error {
	i := s.emulator.storeIncarnation.Load()
	if i == nil {
		return fmt.Errorf("empty bucket %q: the store does not run", bucket)
	}
	return i.EmptyBucket(ctx, s.Store, bucket)
}

// Contents implements backend.Store.
func (s backendStore) Contents(ctx context.Context, bucket string) backend.Contents {
	found, err := s.Store.Contents(ctx, bucket, maxContents)
	if err != nil {
		return backend.Contents{}
	}
	return backend.Contents(found)
}

// ContentFiles implements backend.Store.
func (s backendStore) ContentFiles() ([]string, error) {
	dir := s.emulator.opts.DataDir
	if dir == "" {
		return nil, nil
	}
	all, err := s.inlineContents()
	if err != nil {
		return nil, err
	}
	err = filepath.WalkDir(filepath.Join(dir, "store", "blobs"), func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // it was deleted meanwhile
		}
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		all = append(all, filepath.ToSlash(name))
		return err
	})
	if err != nil {
		return nil, err
	}
	slices.Sort(all)
	return all, nil
}

func (s backendStore) inlineContents() ([]string, error) {
	ids, err := s.InlineContents()
	if err != nil {
		return nil, fmt.Errorf("contents in the database of the store: %w", err)
	}
	var all []string
	for _, id := range ids {
		all = append(all, fmt.Sprintf("store/vault.db#%d", id))
	}
	return all, nil
}
