package blobstore

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"sync/atomic"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

// inlineBlob is a blob in the database, now or later.
type inlineBlob struct {
	references

	size int32
	disk *Disk
	id   BlobID
	// body is nil after it was stored.
	body atomic.Pointer[[]byte]
}

func (d *Disk) newInlineBlob(body []byte) *inlineBlob {
	b := &inlineBlob{disk: d, id: d.nextID(), size: int32(len(body))} //nolint:gosec // below inlineLimit
	b.body.Store(&body)
	b.Retain()
	return b
}

func (b *inlineBlob) ID() BlobID { return b.id }

func (b *inlineBlob) Size() int64 { return int64(b.size) }

// Release implements Blob.
func (b *inlineBlob) Release() {
	if b.drop() && b.stored() {
		b.disk.garbage.add(b.id)
	}
}

func (b *inlineBlob) stored() bool { return b.body.Load() == nil }

func (b *inlineBlob) store(tx *bolt.Tx) error {
	return enter(tx, b.id, entry{size: b.Size()}, *b.body.Load())
}

func (b *inlineBlob) settle() { b.body.Store(nil) }

func (b *inlineBlob) Open(offset, length int64) (io.ReadCloser, error) {
	if err := checkRange(offset, length, b.Size()); err != nil {
		return nil, err
	}
	if body := b.body.Load(); body != nil {
		return &segmentReader{current: (*body)[offset:], left: length}, nil
	}
	content, err := b.read(offset, length)
	if err != nil {
		return nil, err
	}
	return &segmentReader{current: content, left: length}, nil
}

// Inline implements Store. The list may contain blobs that become garbage meanwhile.
func (d *Disk) Inline() ([]BlobID, error) {
	if d.isClosed() {
		return nil, ErrClosed
	}
	deleted := map[BlobID]bool{}
	note := func() {
		for _, id := range d.garbage.all() {
			deleted[id] = true
		}
	}
	note()
	var found []BlobID
	err := d.db.View(func(tx *bolt.Tx) error {
		return d.walk(tx.Bucket(catalogueTable), string(catalogueTable), func(key, value []byte) error {
			e, err := decodeEntry(value)
			if !e.file {
				found = append(found, idOf(key))
			}
			return err
		})
	})
	if errors.Is(err, bolterrors.ErrDatabaseNotOpen) {
		return nil, ErrClosed
	}
	note() // some were released while the catalogue was read
	return slices.DeleteFunc(found, func(id BlobID) bool { return deleted[id] }), err
}

func (b *inlineBlob) read(offset, length int64) (content []byte, err error) {
	err = b.disk.guarded(func() error {
		return b.disk.db.View(func(tx *bolt.Tx) error {
			key := b.id.key()
			body, err := reveal(key, tx.Bucket(bodiesTable).Get(key))
			if err != nil || len(body) != int(b.size) {
				return fmt.Errorf("blob %d in %s %w", b.id, b.disk.db.Path(), ErrDamaged)
			}
			content = exactly(body[offset : offset+length])
			return nil
		})
	})
	if errors.Is(err, bolterrors.ErrDatabaseNotOpen) {
		return nil, ErrClosed
	}
	return content, err
}
