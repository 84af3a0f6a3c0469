package blobstore

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"time"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

// lockTimeout limits the wait of Open for another process to close the file.
const lockTimeout = time.Second

// format is the version of the file's layout.
const format = "1"

var (
	formatTable = []byte("format")
	formatKey   = []byte("format")
)

// openDatabase opens the file, or creates it. orphans means that blob files exist, which require an
// existing database.
func openDatabase(path string, orphans bool) (*bolt.DB, error) {
	if info, err := os.Stat(path); orphans && (err != nil || info.Size() == 0) {
		return nil, fmt.Errorf("%s %w: it is missing or empty, but there are blobs beside it", path, ErrDamaged)
	}
	var db *bolt.DB
	err := guard(path, func() (err error) {
		db, err = bolt.Open(path, 0o600, &bolt.Options{Timeout: lockTimeout, FreelistType: bolt.FreelistMapType})
		return err
	})
	switch {
	case errors.Is(err, bolterrors.ErrTimeout):
		return nil, fmt.Errorf("%s is in use by another process; stop it or use another directory", path)
	case errors.Is(err, bolterrors.ErrInvalid), errors.Is(err, bolterrors.ErrChecksum), errors.Is(err, bolterrors.ErrVersionMismatch):
		return nil, fmt.Errorf("%s %w: %w", path, ErrDamaged, err)
	case err != nil:
		return nil, fmt.Errorf("cannot open %s: %w", path, err)
	}
	if err := checkLength(db); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// checkLength compares the length of the file with its used pages. A read beyond the end would
// crash the process.
func checkLength(db *bolt.DB) error {
	return db.View(func(tx *bolt.Tx) error {
		info, err := os.Stat(db.Path())
		if err != nil {
			return err
		}
		if info.Size() < tx.Size() {
			return fmt.Errorf("%s %w: it has %d bytes, and should have %d", db.Path(), ErrDamaged, info.Size(), tx.Size())
		}
		return nil
	})
}

func prepareTables(tx *bolt.Tx) error {
	formats, err := tx.CreateBucketIfNotExists(formatTable)
	if err != nil {
		return err
	}
	switch found := formats.Get(formatKey); {
	case found == nil:
		err = formats.Put(formatKey, []byte(format))
	case string(found) != format:
		err = fmt.Errorf("it has format %q, and this version knows only %q: use another directory, or the version that made it", found, format)
	}
	_, first := tx.CreateBucketIfNotExists(catalogueTable)
	_, second := tx.CreateBucketIfNotExists(bodiesTable)
	return errors.Join(err, first, second)
}

// guarded is guard for the database of the store.
func (d *Disk) guarded(read func() error) error { return guard(d.db.Path(), read) }

// guard converts crashes of bbolt on damaged files into errors: panics, and memory faults beyond
// the end of a short file.
func guard(path string, read func() error) (err error) {
	before := debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(before)
		if cause := recover(); cause != nil {
			err = fmt.Errorf("%s %w: %v", path, ErrDamaged, cause)
		}
	}()
	return read()
}
