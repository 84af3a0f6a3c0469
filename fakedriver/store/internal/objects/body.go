package objects

import (
	"errors"
	"io"

	"github.com/cosi-emu/cosi-emu/fakedriver/store/internal/vault"
)

// piece is a part of a blob.
type piece struct {
	blob           vault.Blob
	offset, length int64
}

// Body is the content of an object: pieces of blobs, one after the other. Most
// have one, which is why it has a place of its own. The zero value is empty.
//
// Whoever keeps a body holds a reference to its blobs: the store for what it has
// stored, a request for what it has received or is about to read.
type Body struct {
	first piece
	rest  []piece
}

// BodyOf returns a body of the whole of a blob; nil is an empty one.
func BodyOf(b vault.Blob) Body {
	if b == nil || b.Size() == 0 {
		return Body{}
	}
	return Body{first: piece{blob: b, length: b.Size()}}
}

// Size is in bytes.
func (b Body) Size() int64 {
	size := b.first.length
	for _, p := range b.rest {
		size += p.length
	}
	return size
}

func (b Body) pieces(yield func(piece) bool) {
	if b.first.length > 0 && !yield(b.first) {
		return
	}
	for _, p := range b.rest {
		if !yield(p) {
			return
		}
	}
}

// Retain adds a reference to every blob of the body. There must be one that is
// held meanwhile.
func (b Body) Retain() {
	for p := range b.pieces {
		p.blob.Retain()
	}
}

// Release ends a reference to every blob of the body.
func (b Body) Release() {
	for p := range b.pieces {
		p.blob.Release()
	}
}

func (b Body) blobs() []vault.Blob {
	var all []vault.Blob
	for p := range b.pieces {
		all = append(all, p.blob)
	}
	return all
}

func join(bodies []Body) Body {
	var all []piece
	for _, body := range bodies {
		for p := range body.pieces {
			all = append(all, p)
		}
	}
	if len(all) == 0 {
		return Body{}
	}
	return Body{first: all[0], rest: all[1:]}
}

// Slice returns a range of the body, without copying. The range must be within.
func (b Body) Slice(offset, length int64) Body {
	var cut []piece
	for p := range b.pieces {
		if offset >= p.length {
			offset -= p.length
			continue
		}
		take := min(length, p.length-offset)
		if take <= 0 {
			break
		}
		cut = append(cut, piece{p.blob, p.offset + offset, take})
		length, offset = length-take, 0
	}
	if len(cut) == 0 {
		return Body{}
	}
	return Body{first: cut[0], rest: cut[1:]}
}

// Open returns a reader of the whole body. The caller closes it.
func (b Body) Open() io.ReadCloser { return &bodyReader{left: b} }

// bodyReader opens one piece after the other.
type bodyReader struct {
	left    Body
	current io.ReadCloser
}

// Read implements io.Reader.
func (r *bodyReader) Read(buffer []byte) (int, error) {
	for {
		if err := r.advance(); err != nil {
			return 0, err
		}
		n, err := r.current.Read(buffer)
		if err == io.EOF {
			if err := r.Close(); err != nil {
				return n, err
			}
			if n == 0 {
				continue
			}
			return n, nil
		}
		return n, err
	}
}

// WriteTo implements io.WriterTo: what is in memory is not copied on its way.
func (r *bodyReader) WriteTo(w io.Writer) (int64, error) {
	var total int64
	for {
		if err := r.advance(); err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return total, err
		}
		n, err := io.Copy(w, r.current)
		total += n
		if err := r.Close(); err != nil {
			return total, err
		}
		if err != nil {
			return total, err
		}
	}
}

// Close implements io.Closer.
func (r *bodyReader) Close() error {
	if r.current == nil {
		return nil
	}
	open := r.current
	r.current = nil
	return open.Close()
}

// advance opens the next piece, if none is open, or returns io.EOF.
func (r *bodyReader) advance() error {
	if r.current != nil {
		return nil
	}
	next := r.left.first
	if next.length == 0 {
		return io.EOF
	}
	open, err := next.blob.Open(next.offset, next.length)
	if err != nil {
		return err
	}
	r.current = open
	r.left.first = piece{}
	if len(r.left.rest) > 0 {
		r.left.first, r.left.rest = r.left.rest[0], r.left.rest[1:]
	}
	return nil
}
