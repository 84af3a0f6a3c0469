package blobstore

import (
	"errors"
	"io"
)

// Errors that callers can tell apart.
var (
	// ErrClosed is returned by what comes after Close.
	ErrClosed = errors.New("the vault is closed")
	// ErrDamaged is returned where the files hold something that the vault has
	// not written like that, or lack something that it has.
	ErrDamaged = errors.New("is damaged")
	// ErrBroken is returned by every Commit after one of which nobody can say
	// whether it is on the disk, until the vault is opened again.
	ErrBroken = errors.New("a write to the disk has failed, and what is on it is not certain; start again")
)

// Store keeps records and blobs. Its methods are safe for concurrent use, but for
// those that say otherwise.
//
// To open one that has been used before: Load all tables, call Blob for each
// reference that a record has to a blob, and then Sweep; only then Create.
type Store interface {
	// Durable reports whether records are kept at all. If not, Commit does not
	// look at them, and nobody needs to encode them.
	Durable() bool
	// Load calls each for all records of a table, in the order of their keys,
	// and returns its first error. Key and value are only valid until it returns.
	Load(table string, each func(key, value []byte) error) error
	// Blob returns a stored blob with one more reference to it. It may be called
	// only before Sweep, and by one goroutine at a time. The error is of kind
	// ErrDamaged if there is no such blob.
	Blob(id BlobID) (Blob, error)
	// Sweep ends loading: blobs to which nobody has a reference are removed, for
	// they are what a crash has left.
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
// Blobs are counted: whoever keeps one holds a reference to it, first of all
// whoever has written it. With the last reference the bytes go.
type Blob interface {
	ID() BlobID
	// Size is in bytes.
	Size() int64
	// Open reads length bytes from an offset; the range must be within the blob.
	// The caller closes the reader, which implements io.WriterTo as well, and
	// holds a reference to the blob until then. A vault that has a directory
	// returns an error of kind ErrDamaged where bytes are missing.
	Open(offset, length int64) (io.ReadCloser, error)
	// Retain adds a reference. The caller makes sure that there is one to which
	// nobody puts an end meanwhile.
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
	// Abort forgets what has been written.
	Abort()
}
