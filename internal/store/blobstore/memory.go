package blobstore

import (
	"fmt"
	"sync/atomic"
)

// Memory is a store that keeps blobs in memory, and no records.
type Memory struct{ closed atomic.Bool }

var _ Store = (*Memory)(nil)

// NewMemory returns an empty store.
func NewMemory() *Memory { return &Memory{} }

// Durable implements Store.
func (*Memory) Durable() bool { return false }

// Load implements Store, without records.
func (*Memory) Load(string, func(key, value []byte) error) error { return nil }

// Blob implements Store, without earlier blobs.
func (*Memory) Blob(id BlobID) (Blob, error) {
	return nil, fmt.Errorf("blob %d of a store in memory %w", id, ErrDamaged)
}

// Sweep implements Store.
func (*Memory) Sweep() error { return nil }

// Inline implements Store, without stored blobs.
func (*Memory) Inline() ([]BlobID, error) { return nil, nil }

// Create implements Store.
func (*Memory) Create() Writer { return &memoryWriter{first: borrowScratch()} }

// Commit implements Store. It does nothing.
func (m *Memory) Commit(Batch) error {
	if m.closed.Load() {
		return ErrClosed
	}
	return nil
}

// Close implements Store.
func (m *Memory) Close() error {
	if m.closed.Swap(true) {
		return ErrClosed
	}
	return nil
}
