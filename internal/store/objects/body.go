package objects

import (
	"errors"
	"io"
	"slices"

	"github.com/cosi-emu/cosi-emu/internal/store/blobstore"
)

// piece is a part of a blob. Without a blob it is a hole, which reads as zeros.
type piece struct {
	blob           blobstore.Blob
	offset, length int64
}

// Body is the content of an object: a sequence of pieces of blobs. Most bodies are one whole blob,
// and use little memory. The zero value is empty.
//
// The owner of a body has a reference to its blobs: the store for stored bodies, a request for
// bodies that it receives or reads.
type Body struct {
	whole  blobstore.Blob
	joined *[]piece // nil for one whole blob
}

// NewBody returns a body with all of a blob; nil means empty.
func NewBody(b blobstore.Blob) Body {
	if b == nil || b.Size() == 0 {
		return Body{}
	}
	return Body{whole: b}
}

// bodyOf returns a body of pieces. None may be empty.
func bodyOf(pieces []piece) Body {
	switch {
	case len(pieces) == 0:
		return Body{}
	case len(pieces) == 1 && !pieces[0].isHole() && pieces[0].length == pieces[0].blob.Size():
		return Body{whole: pieces[0].blob}
	}
	return Body{joined: &pieces}
}

// Size is in bytes.
func (b Body) Size() int64 {
	var size int64
	for p := range b.pieces {
		size += p.length
	}
	return size
}

func (b Body) pieces(yield func(piece) bool) {
	for i := 0; ; i++ {
		p, ok := b.piece(i)
		if !ok || !yield(p) {
			return
		}
	}
}

// piece returns the i-th piece, if any.
func (b Body) piece(i int) (piece, bool) {
	switch {
	case b.whole != nil && i == 0:
		return piece{blob: b.whole, length: b.whole.Size()}, true
	case b.joined != nil && i < len(*b.joined):
		return (*b.joined)[i], true
	}
	return piece{}, false
}

// blobs yields the blob of each piece that has one.
func (b Body) blobs(yield func(blobstore.Blob) bool) {
	for p := range b.pieces {
		if !p.isHole() && !yield(p.blob) {
			return
		}
	}
}

// Retain adds a reference to each blob of the body. The caller must already have one.
func (b Body) Retain() {
	for blob := range b.blobs {
		blob.Retain()
	}
}

// Release drops a reference to each blob of the body.
func (b Body) Release() {
	for blob := range b.blobs {
		blob.Release()
	}
}

// Blobs returns the blobs of the body, without new references.
func (b Body) Blobs() []blobstore.Blob { return slices.Collect(b.blobs) }

func join(bodies []Body) Body {
	var all []piece
	for _, body := range bodies {
		for p := range body.pieces {
			if last := len(all) - 1; p.isHole() && last >= 0 && all[last].isHole() {
				all[last].length += p.length
				continue
			}
			all = append(all, p)
		}
	}
	return bodyOf(all)
}

// Slice returns a range of the body without copying. The range must be valid.
func (b Body) Slice(offset, length int64) Body {
	if offset == 0 && length == b.Size() {
		return b
	}
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
		if p.isHole() {
			offset = 0
		}
		cut = append(cut, piece{p.blob, p.offset + offset, take})
		length, offset = length-take, 0
	}
	return bodyOf(cut)
}

// Open returns a reader of the whole body. The caller closes it.
func (b Body) Open() io.ReadCloser { return &bodyReader{body: b} }

// damage returns an error of kind blobstore.ErrDamaged if a blob of the body is known to be
// damaged.
func (b Body) damage() error {
	for blob := range b.blobs {
		if err := blob.Damage(); err != nil {
			return err
		}
	}
	return nil
}

// bodyReader opens one piece after another.
type bodyReader struct {
	body    Body
	next    int
	current io.ReadCloser
}

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
	next, ok := r.body.piece(r.next)
	if !ok {
		return io.EOF
	}
	open, err := next.open()
	if err != nil {
		return err
	}
	r.current = open
	r.next++
	return nil
}
