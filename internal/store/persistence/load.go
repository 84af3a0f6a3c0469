package persistence

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cosi-emu/cosi-emu/internal/store/authorization"
	"github.com/cosi-emu/cosi-emu/internal/store/blobstore"
)

// Open opens the blob store in a directory, or one in memory without a directory.
func Open(dir string) (blobstore.Store, error) {
	if dir == "" {
		return blobstore.NewMemory(), nil
	}
	if err := rejectOldFiles(dir); err != nil {
		return nil, err
	}
	return blobstore.Open(dir)
}

// rejectOldFiles detects files of a version with another format: an empty store beside them would
// look like a loss of data.
func rejectOldFiles(dir string) error {
	for _, name := range []string{"accounts.db", "objects.db"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return fmt.Errorf("%s was written by an earlier version of cosi-emu, whose data cannot be read; "+
				"copy the objects out with that version, or use another directory", filepath.Join(dir, name))
		}
	}
	return nil
}

// Load adds all recorded buckets and accounts to a registry.
func (r Records) Load(registry *authorization.Registry) error {
	if err := load(r.store, bucketsTable, registry.SetBucket); err != nil {
		return err
	}
	return load(r.store, accountsTable, func(a accountRecord) {
		registry.SetAccount(&authorization.Principal{Account: a.Account, Secret: a.SecretAccessKey, Reach: a.Reach})
	})
}

// load passes on every record of a table.
func load[T any](store blobstore.Store, table string, take func(T)) error {
	return store.Load(table, func(key, value []byte) error {
		var record T
		if err := json.Unmarshal(value, &record); err != nil {
			return fmt.Errorf("record %q of table %s %w: %w", key, table, blobstore.ErrDamaged, err)
		}
		take(record)
		return nil
	})
}
