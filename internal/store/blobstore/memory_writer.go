package blobstore

import (
	"errors"
	"io"
)

// maxSegment is the maximum size of a segment.
const maxSegment = 1 << 20

var errEnded = errors.New("the writer of a blob is used after its end")

// memoryWriter collects a blob in segments. No segment is larger than all segments before it, so
// the memory depends on the received bytes, not on the declared length.
type memoryWriter struct {
	first *scratch // nil after the end
	blob  memoryBlob
	used  int // bytes in the last segment, or in first without one
}

func (w *memoryWriter) Write(p []byte) (int, error) {
	if w.first == nil {
		return 0, errEnded
	}
	for left := p; len(left) > 0; {
		n := copy(w.room(), left)
		w.took(n)
		left = left[n:]
	}
	return len(p), nil
}

func (w *memoryWriter) ReadFrom(r io.Reader) (int64, error) {
	if w.first == nil {
		return 0, errEnded
	}
	var total int64
	for {
		n, err := r.Read(w.room())
		w.took(n)
		total += int64(n)
		if errors.Is(err, io.EOF) {
			return total, nil
		}
		if err != nil {
			return total, err
		}
	}
}

// room returns the free part of the last segment, which is never empty.
func (w *memoryWriter) room() []byte {
	last := w.last()
	if w.used == len(last) {
		last = make([]byte, min(maxSegment, w.blob.size))
		w.blob.rest = append(w.blob.rest, last)
		w.used = 0
	}
	return last[w.used:]
}

func (w *memoryWriter) last() []byte {
	if n := len(w.blob.rest); n > 0 {
		return w.blob.rest[n-1]
	}
	return w.first[:]
}

func (w *memoryWriter) took(n int) {
	w.used += n
	w.blob.size += int64(n)
}

// Seal copies a partly filled buffer, so that the blob uses only as much memory as it has bytes.
func (w *memoryWriter) Seal() (Blob, error) {
	if w.first == nil {
		return nil, errEnded
	}
	first := w.first
	w.first = nil
	if w.blob.size < inlineLimit {
		defer scratches.Put(first)
		return &smallBlob{content: exactly(first[:w.blob.size])}, nil
	}
	w.blob.first = first[:]
	w.trim()
	sealed := w.blob
	w.blob = memoryBlob{}
	return &sealed, nil
}

func (w *memoryWriter) trim() {
	n := len(w.blob.rest)
	switch {
	case n == 0:
		return
	case w.used == 0:
		w.blob.rest = w.blob.rest[:n-1]
	case w.used < len(w.blob.rest[n-1]):
		w.blob.rest[n-1] = exactly(w.blob.rest[n-1][:w.used])
	}
}

func (w *memoryWriter) Abort() {
	if w.first == nil {
		return
	}
	scratches.Put(w.first)
	w.first, w.blob = nil, memoryBlob{}
}
