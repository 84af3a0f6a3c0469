package blobstore

import "sync"

// inlineLimit is the size from which a blob in a directory is a file of its own,
// and that of the first piece of one in memory. Above it, bbolt's transactions
// get slower than files; docs/s3.md has the figures.
const inlineLimit = 64 << 10

// scratch is where the first bytes of a blob are collected, before anyone knows
// how many will come. It is lent to a writer, so that a small blob costs no more
// than its own bytes.
type scratch [inlineLimit]byte

var scratches = sync.Pool{New: func() any { return new(scratch) }}

func borrowScratch() *scratch {
	lent, _ := scratches.Get().(*scratch) // the pool has nothing else
	return lent
}

// exactly returns a copy that takes no more memory than it has bytes.
func exactly(content []byte) []byte {
	kept := make([]byte, len(content))
	copy(kept, content)
	return kept
}
