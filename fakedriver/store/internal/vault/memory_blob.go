package vault

import (
	"fmt"
	"io"
)

// memoryBlob is a blob in memory. Most have one segment. The garbage collector
// counts the references.
type memoryBlob struct {
	first []byte
	rest  [][]byte
	size  int64
}

// ID implements Blob: there are no records that could name it.
func (*memoryBlob) ID() BlobID { return 0 }

// Size implements Blob.
func (b *memoryBlob) Size() int64 { return b.size }

// Retain implements Blob.
func (*memoryBlob) Retain() {}

// Release implements Blob.
func (*memoryBlob) Release() {}

// Open implements Blob.
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

// segmentReader reads segments one after the other. Its zero value is at the end.
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

// piece returns the bytes that come next and are in one segment; none at the end.
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

// Read implements io.Reader.
func (r *segmentReader) Read(buffer []byte) (int, error) {
	if r.left == 0 {
		return 0, io.EOF
	}
	n := copy(buffer, r.piece())
	r.advance(n)
	return n, nil
}

// WriteTo implements io.WriterTo: nothing is copied on the way.
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

// Close implements io.Closer.
func (r *segmentReader) Close() error {
	*r = segmentReader{}
	return nil
}
