package blobstore

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"

	bolt "go.etcd.io/bbolt"

	"github.com/cosi-emu/cosi-emu/internal/atomicfile"
)

// transact runs one transaction. After an error nothing is stored, unless the error is of kind
// ErrBroken.
func (d *Disk) transact(group []*request, garbage []BlobID) error {
	before, err := d.transaction()
	if err != nil {
		return err
	}
	err = d.guarded(func() error {
		return d.update(func(tx *bolt.Tx) error { return fill(tx, group, garbage) })
	})
	if err == nil {
		return nil
	}
	now, readErr := d.transaction()
	if now != before || readErr != nil {
		// Readers see it, so it is in the file, but perhaps not flushed to the disk.
		d.broken.Store(true)
		err = errors.Join(ErrBroken, err, readErr)
	}
	return fmt.Errorf("cannot write to %s: %w", d.db.Path(), withCause(err))
}

// withCause adds a full disk to an error of bbolt, which reports it only when it cannot enlarge the
// file.
func withCause(err error) error {
	if full := syscall.ENOSPC; !errors.Is(err, full) && strings.Contains(err.Error(), full.Error()) {
		return errors.Join(err, full)
	}
	return err
}

func fill(tx *bolt.Tx, group []*request, garbage []BlobID) error {
	for _, r := range group {
		for _, blob := range r.blobs {
			if err := blob.store(tx); err != nil {
				return err
			}
		}
		for _, change := range r.changes {
			if err := change.apply(tx); err != nil {
				return err
			}
		}
	}
	for _, id := range garbage {
		if err := strike(tx, id); err != nil {
			return err
		}
	}
	return nil
}

// transaction returns the number of the latest transaction that readers see.
func (d *Disk) transaction() (number int, err error) {
	err = d.guarded(func() error {
		return d.db.View(func(tx *bolt.Tx) error {
			number = tx.ID()
			return nil
		})
	})
	return number, err
}

// syncNames makes the names of a group's files durable; their content is already durable.
func (d *Disk) syncNames(group []*request) error {
	for _, r := range group {
		for _, blob := range r.blobs {
			if _, ok := blob.(*fileBlob); ok {
				return atomicfile.SyncDir(filepath.Join(d.dir, BlobsName))
			}
		}
	}
	return nil
}
