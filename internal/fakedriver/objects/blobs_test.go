package objects_test

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/fakedriver/blobstore"
)

// errRefused is what a counting vault fails with.
var errRefused = errors.New("the store fails")

// countingVault is a blob store in memory that says it is durable, counts the
// references to its blobs, and fails on demand.
type countingVault struct {
	*blobstore.Memory

	tb      testing.TB
	refuses atomic.Bool
	forgets atomic.Bool // records are not made

	mu      sync.Mutex
	blobs   map[*countedBlob]bool
	records map[string]string
}

func newCountingVault(tb testing.TB) *countingVault {
	tb.Helper()
	return &countingVault{Memory: blobstore.NewMemory(), tb: tb, blobs: map[*countedBlob]bool{}, records: map[string]string{}}
}

func (c *countingVault) Durable() bool { return !c.forgets.Load() }

func (c *countingVault) Create() blobstore.Writer { return countingWriter{c.Memory.Create(), c} }

func (c *countingVault) Commit(batch blobstore.Batch) error {
	if c.refuses.Load() {
		return errRefused
	}
	for _, b := range batch.Blobs {
		if counted, ok := b.(*countedBlob); !ok || counted.references.Load() <= 0 {
			c.tb.Error("a record refers to a blob that nobody holds")
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

// held returns how many references there are to all blobs, and to how many blobs.
func (c *countingVault) held() (references int64, blobs int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for b := range c.blobs {
		references += b.references.Load()
	}
	return references, len(c.blobs)
}

func (c *countingVault) recorded() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.records)
}

type countingWriter struct {
	blobstore.Writer
	vault *countingVault
}

func (w countingWriter) Seal() (blobstore.Blob, error) {
	b, err := w.Writer.Seal()
	if err != nil {
		return nil, err
	}
	counted := &countedBlob{Blob: b, vault: w.vault}
	counted.references.Store(1)
	w.vault.mu.Lock()
	defer w.vault.mu.Unlock()
	w.vault.blobs[counted] = true
	return counted, nil
}

type countedBlob struct {
	blobstore.Blob

	vault      *countingVault
	references atomic.Int64
}

func (b *countedBlob) Retain() {
	if b.references.Add(1) <= 1 {
		b.vault.tb.Error("a blob is retained that nobody holds")
	}
}

func (b *countedBlob) Release() {
	left := b.references.Add(-1)
	if left < 0 {
		b.vault.tb.Error("a blob is released too often")
	}
	if left == 0 {
		b.vault.mu.Lock()
		defer b.vault.mu.Unlock()
		delete(b.vault.blobs, b)
	}
}

func (b *countedBlob) Open(offset, length int64) (io.ReadCloser, error) {
	if b.references.Load() <= 0 {
		b.vault.tb.Error("a blob is read that nobody holds")
	}
	return b.Blob.Open(offset, length)
}
