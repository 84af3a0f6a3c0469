package blobstore

import (
	"errors"
	"fmt"
	"os"

	bolt "go.etcd.io/bbolt"
)

// inventory is the state of the blobs until Sweep.
type inventory struct {
	entries map[BlobID]entry
	claimed map[BlobID]storable // blobs with a reference from a record
	files   []BlobID
}

var errSwept = errors.New("blobs can be claimed only before Sweep")

// takeInventory reads the catalogue.
func (d *Disk) takeInventory(files []BlobID) error {
	d.loading = &inventory{entries: map[BlobID]entry{}, claimed: map[BlobID]storable{}, files: files}
	if err := d.reserveQuarantined(); err != nil {
		return err
	}
	return d.db.View(func(tx *bolt.Tx) error {
		return d.walk(tx.Bucket(catalogueTable), string(catalogueTable), func(key, value []byte) error {
			id := idOf(key)
			d.lastID.Store(max(d.lastID.Load(), uint64(id)))
			e, err := decodeEntry(value)
			d.loading.entries[id] = e
			return err
		})
	})
}

func listFiles(dir string) ([]BlobID, error) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("cannot list blobs: %w", err)
	}
	var ids []BlobID
	for _, file := range files {
		if id, ok := fileID(file.Name()); ok {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// Blob implements Store.
func (d *Disk) Blob(id BlobID) (Blob, error) {
	if d.loading == nil {
		return nil, errSwept
	}
	if blob, ok := d.loading.claimed[id]; ok {
		blob.Retain()
		return blob, nil
	}
	e, ok := d.loading.entries[id]
	if !ok {
		return nil, fmt.Errorf("the catalogue in %s %w: it lacks blob %d", d.db.Path(), ErrDamaged, id)
	}
	blob, err := d.storedBlob(id, e)
	if err != nil {
		return nil, err
	}
	blob.Retain()
	d.loading.claimed[id] = blob
	return blob, nil
}

func (d *Disk) storedBlob(id BlobID, e entry) (storable, error) {
	if !e.file {
		return &inlineBlob{disk: d, id: id, size: int32(e.size)}, nil //nolint:gosec // below inlineLimit
	}
	return d.fileOf(id, e)
}

// Sweep implements Store.
func (d *Disk) Sweep() error {
	if d.loading == nil {
		return errSwept
	}
	stock := d.loading
	d.loading = nil
	for _, id := range stock.files {
		if _, ok := stock.claimed[id]; ok {
			continue // in use, or in quarantine
		}
		if err := os.Remove(d.path(id)); err != nil {
			return fmt.Errorf("cannot remove a blob that nothing refers to: %w", err)
		}
	}
	for id := range stock.entries {
		if _, ok := stock.claimed[id]; !ok {
			d.garbage.add(id)
		}
	}
	return nil
}
