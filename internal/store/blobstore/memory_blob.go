package blobstore

import (
	"fmt"
	"io"
)

// collected is the common part of blobs in memory: the Go garbage collector deletes them, and no
// record refers to them.
type collected struct{}

func (collected) ID() BlobID { return 0 }

func (collected) Retain() {}

func (collected) Release() {}

func (collected) Damage() error { return nil }

// smallBlob is a blob in memory with one segment, the usual case. It uses little extra memory.
type smallBlob struct {
	collected

	content []byte
}

func (b *smallBlob) Size() int64 { return int64(len(b.content)) }

func (b *smallBlob) Open(offset, length int64) (io.ReadCloser, error) {
	if err := checkRange(offset, length, b.Size()); err != nil {
		return nil, err
	}
	return &segmentReader{current: b.content[offset : offset+length], left: length}, nil
}

type memoryBlob struct {
	collected

	first []byte
	rest  [][]byte
	size  int64
}

func (b *memoryBlob) Size() int64 { return b.size }

func (b *memoryBlob) Open(offset, length int64) (io.ReadCloser, error) {
	if err := checkRange(offset, length, b.size); err != nil {
		return nil, err
	}
	r := &segmentReader{current: b.first, next: b.rest, left: length}
	r.skip(offset)
	return r, nil
}

// checkRange returns an error if a range is not within a blob of a size.
func checkRange(offset, length, size int64) error {
	if offset < 0 || length < 0 || offset > size || length > size-offset {
		return fmt.Errorf("%d bytes from %d are not within a blob of %d bytes", length, offset, size)
	}
	return nil
}

// segmentReader reads segments one after another. Its zero value is at the end.
type segmentReader struct {
	current []byte
	next    [][]byte
	left    int64
}

func (r *segmentReader) skip(offset int64) {
	for offset >= int64(len(r.current)) && len(r.next) > 0 {
		offset -= int64(len(r.current))
		r.current, r.next = r.next[0], r.next[1:]
	}
	r.current = r.current[offset:]
}

// piece returns the next bytes of one segment; none at the end.
func (r *segmentReader) piece() []byte {
	if len(r.current) == 0 && r.left > 0 {
		r.skip(0)
	}
	return r.current[:min(int64(len(r.current)), r.left)]
}

func (r *segmentReader) advance(n int) {
	r.current = r.current[n:]
	r.left -= int64(n)
}

func (r *segmentReader) Read(buffer []byte) (int, error) {
	if r.left == 0 {
		return 0, io.EOF
	}
	n := copy(buffer, r.piece())
	r.advance(n)
	return n, nil
}

func (r *segmentReader) WriteTo(w io.Writer) (int64, error) {
	var total int64
	for r.left > 0 {
		n, err := w.Write(r.piece())
		r.advance(n)
		total += int64(n)
		if err != nil {
			return total, err
		}
	}
	return total, nil
}

func (r *segmentReader) Close() error {
	*r = segmentReader{}
	return nil
}
