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
	// stored reports whether a transaction has stored the blob.
	stored() bool
	// store writes in a transaction what is not written yet.
	store(tx *bolt.Tx) error
	// settle is called when the transaction is durable.
	settle()
}

// references counts those to a blob.
type references struct{ n atomic.Int32 }

// Retain implements Blob.
func (r *references) Retain() { r.n.Add(1) }

// drop ends a reference, and reports whether it was the last.
func (r *references) drop() bool {
	n := r.n.Add(-1)
	if n < 0 {
		panic("blobstore: a blob has been released more often than retained")
	}
	return n == 0
}

// path is where a blob is that is a file of its own.
func (d *Disk) path(id BlobID) string {
	return filepath.Join(d.dir, blobsName, strconv.FormatUint(uint64(id), 16))
}

// fileID is the inverse of path.
func fileID(name string) (BlobID, bool) {
	id, err := strconv.ParseUint(name, 16, 64)
	return BlobID(id), err == nil && strconv.FormatUint(id, 16) == name
}

// removeFile removes the file of a blob, unless it might be needed after all, or
// might be that of another process by now. One that cannot be removed is left to
// Sweep when the store is opened again.
func (d *Disk) removeFile(id BlobID) {
	if !d.broken.Load() && !d.isClosed() {
		_ = os.Remove(d.path(id)) // see above
	}
}
