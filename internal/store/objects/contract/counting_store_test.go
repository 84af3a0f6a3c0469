package contract_test

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/store/blobstore"
)

var errRejected = errors.New("the store fails")

// countingStore is a blob store in memory that claims to be durable, counts the references to its
// blobs, and fails on demand.
type countingStore struct {
	*blobstore.Memory

	tb      testing.TB
	fails   atomic.Bool
	forgets atomic.Bool // without records

	mu      sync.Mutex
	blobs   map[*countedBlob]bool
	records map[string]string
}

func newCountingStore(tb testing.TB) *countingStore {
	tb.Helper()
	return &countingStore{Memory: blobstore.NewMemory(), tb: tb, blobs: map[*countedBlob]bool{}, records: map[string]string{}}
}

func (c *countingStore) Durable() bool { return !c.forgets.Load() }

func (c *countingStore) Create() blobstore.Writer { return countingWriter{c.Memory.Create(), c} }

func (c *countingStore) Commit(batch blobstore.Batch) error {
	if c.fails.Load() {
		return errRejected
	}
	for _, b := range batch.Blobs {
		if counted, ok := b.(*countedBlob); !ok || counted.references.Load() <= 0 {
			c.tb.Error("a record refers to a blob without a reference")
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, change := range batch.Changes {
		delete(c.records, change.Table+" "+string(change.Key))
		if change.Value != nil {
			c.records[change.Table+" "+string(change.Key)] = string(change.Value)
		}
	}
	return nil
}

func (c *countingStore) held() (references int64, blobs int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for b := range c.blobs {
		references += b.references.Load()
	}
	return references, len(c.blobs)
}

func (c *countingStore) recorded() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.records)
}

type countingWriter struct {
	blobstore.Writer
	blobs *countingStore
}

func (w countingWriter) Seal() (blobstore.Blob, error) {
	b, err := w.Writer.Seal()
	if err != nil {
		return nil, err
	}
	counted := &countedBlob{Blob: b, blobs: w.blobs}
	counted.references.Store(1)
	w.blobs.mu.Lock()
	defer w.blobs.mu.Unlock()
	w.blobs.blobs[counted] = true
	return counted, nil
}

type countedBlob struct {
	blobstore.Blob

	blobs      *countingStore
	references atomic.Int64
}

func (b *countedBlob) Retain() {
	if b.references.Add(1) <= 1 {
		b.blobs.tb.Error("a blob is retained without a reference")
	}
}

func (b *countedBlob) Release() {
	left := b.references.Add(-1)
	if left < 0 {
		b.blobs.tb.Error("a blob is released too often")
	}
	if left == 0 {
		b.blobs.mu.Lock()
		defer b.blobs.mu.Unlock()
		delete(b.blobs.blobs, b)
	}
}

func (b *countedBlob) Open(offset, length int64) (io.ReadCloser, error) {
	if b.references.Load() <= 0 {
		b.blobs.tb.Error("a blob is read without a reference")
	}
	return b.Blob.Open(offset, length)
}
