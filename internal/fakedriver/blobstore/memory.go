package blobstore

import (
	"fmt"
	"sync/atomic"
)

// Memory is a vault that keeps blobs in memory, and no records: whoever uses it
// has them in memory too.
type Memory struct{ closed atomic.Bool }

var _ Store = (*Memory)(nil)

// NewMemory returns an empty vault.
func NewMemory() *Memory { return &Memory{} }

// Durable implements Vault.
func (*Memory) Durable() bool { return false }

// Load implements Store: there are no records.
func (*Memory) Load(string, func(key, value []byte) error) error { return nil }

// Blob implements Store: nothing is left of an earlier use.
func (*Memory) Blob(id BlobID) (Blob, error) {
	return nil, fmt.Errorf("blob %d of a vault in memory %w", id, ErrDamaged)
}

// Sweep implements Vault.
func (*Memory) Sweep() error { return nil }

// Create implements Vault.
func (*Memory) Create() Writer { return &memoryWriter{first: borrowScratch()} }

// Commit implements Vault. It does nothing.
func (m *Memory) Commit(Batch) error {
	if m.closed.Load() {
		return ErrClosed
	}
	return nil
}

// Close implements Vault.
func (m *Memory) Close() error {
	if m.closed.Swap(true) {
		return ErrClosed
	}
	return nil
}
