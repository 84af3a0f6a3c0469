package blobstore

import (
	"errors"
	"io"
)

// Errors that callers can tell apart.
var (
	// ErrClosed is returned by calls after Close.
	ErrClosed = errors.New("the blob store is closed")
	// ErrDamaged is returned if the content of the files differs from what the store
	// has written.
	ErrDamaged = errors.New("is damaged")
	// ErrBroken is returned by a Commit that may or may not be on the disk, and by
	// every later one, until the store is opened again.
	ErrBroken = errors.New("a write to the disk failed, and it is unknown what is on the disk; restart")
)

// Store keeps records and blobs. Its methods are safe for concurrent use, but for
// those that say otherwise.
//
// To open one that has been used before: Load all tables, call Blob for each
// reference that a record has to a blob, and then Sweep; only then Create.
type Store interface {
	// Durable reports whether records are kept. If not, Commit ignores them, and
	// callers need not encode them.
	Durable() bool
	// Load calls each for all records of a table, in the order of their keys,
	// and returns its first error. Key and value are only valid until it returns.
	Load(table string, each func(key, value []byte) error) error
	// Blob returns a stored blob with one more reference to it. It may be called
	// only before Sweep, and by one goroutine at a time. The error is of kind
	// ErrDamaged if there is no such blob.
	Blob(id BlobID) (Blob, error)
	// Sweep ends loading: it removes blobs without a reference, which a crash has
	// left behind.
	Sweep() error

	// Create begins a new blob.
	Create() Writer
	// Commit makes changes of records and new blobs durable, all or none, and
	// returns when they are. Callers who come at the same time share a
	// transaction, and its error. After an error none of it is stored, unless
	// the error is of kind ErrBroken.
	Commit(Batch) error
	// Close waits for commits that are under way, and closes the files. Later
	// calls return ErrClosed; blobs can no longer be read.
	Close() error
}

// Batch is what one Commit stores.
type Batch struct {
	// Changes are made in their order.
	Changes []Change
	// Blobs are those that the changed records refer to. Blobs that are stored
	// already may be among them, and are left as they are.
	Blobs []Blob
}

// Change is that of one record. A nil Value deletes it; that there is none is no
// error. The slices must not be changed until Commit has returned.
type Change struct {
	Table      string
	Key, Value []byte
}

// BlobID names a blob in records. No other blob has it, as long as any record
// refers to the blob.
type BlobID uint64

// Blob is a run of bytes that never changes. Its methods are safe for concurrent
// use.
//
// References to blobs are counted, and the writer of a blob has the first. With the
// last reference the bytes are deleted.
type Blob interface {
	ID() BlobID
	// Size is in bytes.
	Size() int64
	// Open reads length bytes from an offset; the range must be within the blob.
	// The caller closes the reader, which implements io.WriterTo as well, and
	// holds a reference to the blob until then. A store that has a directory
	// returns an error of kind ErrDamaged where bytes are missing.
	Open(offset, length int64) (io.ReadCloser, error)
	// Retain adds a reference. The caller holds another one meanwhile.
	Retain()
	// Release ends a reference. A blob must be released only after the commit of
	// the change that drops it from the records.
	Release()
}

// Writer takes the bytes of a new blob as they come. It is for one goroutine.
// Exactly one of Seal and Abort ends it; Abort after either does nothing, so that
// it can be deferred.
type Writer interface {
	io.Writer
	io.ReaderFrom
	// Seal returns the blob, with one reference, which is the caller's. It is
	// stored by the Commit that it is given to; released without one, it leaves
	// nothing behind.
	Seal() (Blob, error)
	// Abort discards what has been written.
	Abort()
}
