package blobstore

import "sync"

// inlineLimit is the maximum size of a blob without a file, and the size of the first segment of a
// blob in memory. Above it, bbolt is slower than files; docs/s3.md has the figures.
const inlineLimit = 64 << 10

// scratch is a buffer for the first bytes of a blob of unknown size. A writer borrows it, so that a
// small blob uses no more memory than its size.
type scratch [inlineLimit]byte

var scratches = sync.Pool{New: func() any { return new(scratch) }}

func borrowScratch() *scratch {
	lent, _ := scratches.Get().(*scratch) // the pool has only this type
	return lent
}

// exactly returns a copy with exactly the capacity of its length.
func exactly(content []byte) []byte {
	kept := make([]byte, len(content))
	copy(kept, content)
	return kept
}
