package blobstore

import (
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"

	bolt "go.etcd.io/bbolt"
)

// storable is a blob of a Disk.
type storable interface {
	Blob
	stored() bool
	// store writes the blob in a transaction, unless it is already written.
	store(tx *bolt.Tx) error
	settle()
}

type references struct{ n atomic.Int32 }

func (r *references) Retain() { r.n.Add(1) }

// Damage implements Blob, for all blobs except damaged ones.
func (*references) Damage() error { return nil }

// drop removes a reference, and reports whether it was the last.
func (r *references) drop() bool {
	n := r.n.Add(-1)
	if n < 0 {
		panic("blobstore: a blob has been released more often than retained")
	}
	return n == 0
}

func (d *Disk) path(id BlobID) string {
	return filepath.Join(d.dir, BlobsName, strconv.FormatUint(uint64(id), 16))
}

// fileID is the inverse of path.
func fileID(name string) (BlobID, bool) {
	id, err := strconv.ParseUint(name, 16, 64)
	return BlobID(id), err == nil && strconv.FormatUint(id, 16) == name
}

// removeFile deletes the file of a blob, unless the store is broken or closed: then the file may be
// needed, or belong to another process. Sweep deletes such files at the next start.
func (d *Disk) removeFile(id BlobID) {
	if !d.broken.Load() && !d.isClosed() {
		_ = os.Remove(d.path(id)) // Sweep deletes it at the next start
	}
}
