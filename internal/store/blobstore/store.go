package blobstore

import (
	"errors"
	"io"
)

// Kinds of errors.
var (
	ErrClosed  = errors.New("the blob store is closed")
	ErrDamaged = errors.New("is damaged")
	// ErrBroken is returned by a Commit with an unknown result, and by all later ones,
	// until the store is opened again.
	ErrBroken = errors.New("a write to the disk failed, and the contents of the disk are unknown; restart")
)

// Store stores records and blobs. Its methods are safe for concurrent use, with the exceptions that
// they mention.
//
// To open an existing store, Load all tables, call Blob for each reference of a record to a blob,
// and then Sweep. Do not call Create before.
type Store interface {
	// Durable reports whether records are stored. Otherwise, Commit ignores them, and callers need
	// not encode them.
	Durable() bool
	// Load calls each for every record of a table, in the order of keys, and returns its
	// first error. Key and value are valid only until each returns.
	Load(table string, each func(key, value []byte) error) error
	// Blob returns a stored blob and adds a reference to it. It must be called before Sweep, by one
	// goroutine at a time. The error is of kind ErrDamaged if the blob does not exist. A blob whose
	// file is missing or too short is returned, and reports its damage; the remains of its file are
	// moved to another directory, where they stay.
	Blob(id BlobID) (Blob, error)
	// Sweep ends loading: it deletes blobs without a reference, which a crash left behind.
	Sweep() error

	// Inline returns the stored blobs whose bytes are in the database, without garbage. In memory
	// there are none.
	Inline() ([]BlobID, error)
	// Create starts a new blob.
	Create() Writer
	// Commit makes changes of records and new blobs durable, all or none, before it returns.
	// Concurrent callers share a transaction and its error. After an error nothing is stored,
	// unless the error is of kind ErrBroken.
	Commit(Batch) error
	// Close waits for running commits and closes the files. Later calls return ErrClosed;
	// blobs cannot be read any more.
	Close() error
}

// Batch is the content of one Commit.
type Batch struct {
	// Changes are applied in order.
	Changes []Change
	// Blobs are the blobs that the changed records refer to. Already stored ones are left
	// unchanged.
	Blobs []Blob
}

// Change changes one record. A nil Value deletes it, if it exists. The slices must not
// be changed until Commit has returned.
type Change struct {
	Table      string
	Key, Value []byte
}

// BlobID identifies a blob in records. It is unique as long as a record refers to the
// blob.
type BlobID uint64

// Blob is an immutable sequence of bytes. Its methods are safe for concurrent use.
//
// References to a blob are counted, and its writer has the first. The bytes are
// deleted with the last reference.
type Blob interface {
	ID() BlobID
	// Size is the number of bytes.
	Size() int64
	// Open reads length bytes from an offset; the range must be within the blob. The caller closes
	// the reader, which also implements io.WriterTo, and keeps a reference to the blob until then.
	// If bytes are missing in the directory, the error is of kind ErrDamaged.
	Open(offset, length int64) (io.ReadCloser, error)
	// Damage returns an error of kind ErrDamaged if the blob was damaged when the store was opened.
	// It does not read the bytes.
	Damage() error
	// Retain adds a reference. The caller must already have one.
	Retain()
	// Release drops a reference. A blob must be released only after the commit that
	// removes it from the records.
	Release()
}

// Writer receives the bytes of a new blob. It is for one goroutine. Seal or Abort ends
// it. Abort after either does nothing, so it can be deferred.
type Writer interface {
	io.Writer
	io.ReaderFrom
	// Seal returns the blob with one reference, which the caller owns. A Commit stores the blob.
	// Released without a Commit, it leaves nothing behind.
	Seal() (Blob, error)
	// Abort discards the written bytes.
	Abort()
}
