package store

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/cosi-emu/cosi-emu/internal/store/blobstore"
)

// ContentFiles returns the files below the directory of the store that hold contents of buckets.
// Small contents are in the database, as store.db#ID. Contents in memory have no file.
func (s *Store) ContentFiles() ([]string, error) {
	dir := s.options.Dir
	if dir == "" {
		return nil, nil
	}
	all, err := s.inlineContents()
	if err != nil {
		return nil, err
	}
	err = filepath.WalkDir(filepath.Join(dir, blobstore.BlobsName), func(path string, entry fs.DirEntry, err error) error {
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

func (s *Store) inlineContents() ([]string, error) {
	ids, err := s.blobs.Inline()
	if err != nil {
		return nil, fmt.Errorf("contents in the database of the store: %w", err)
	}
	var all []string
	for _, id := range ids {
		all = append(all, fmt.Sprintf("%s#%d", blobstore.DatabaseName, id))
	}
	return all, nil
}
