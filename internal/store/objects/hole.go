package objects

import "io"

// Hole returns a body that reads as zeros, and has no blobs.
func Hole(length int64) Body {
	if length == 0 {
		return Body{}
	}
	return bodyOf([]piece{{length: length}})
}

func (p piece) isHole() bool { return p.blob == nil }

func (p piece) open() (io.ReadCloser, error) {
	if p.isHole() {
		return io.NopCloser(io.LimitReader(zeros{}, p.length)), nil
	}
	return p.blob.Open(p.offset, p.length)
}

type zeros struct{}

// Read implements io.Reader.
func (zeros) Read(buffer []byte) (int, error) {
	clear(buffer)
	return len(buffer), nil
}

// Extent is a range of a body.
type Extent struct {
	Offset, Length int64
	// IsHole means that the range has no content.
	IsHole bool
}

// Changes returns the ranges in which the body does not share the pieces of an earlier one, in
// order. Compared with an empty body, these are the ranges with content.
func (b Body) Changes(earlier Body) []Extent {
	var all []Extent
	var offset int64
	old := cursor{body: earlier}
	for p := range b.pieces {
		for p.length > 0 {
			before := old.peek(p.length)
			part := piece{p.blob, p.offset, before.length}
			if part != before {
				all = add(all, Extent{offset, part.length, part.isHole()})
			}
			old.consumed += part.length
			p.offset, p.length, offset = p.offset+part.length, p.length-part.length, offset+part.length
			if p.isHole() {
				p.offset = 0
			}
		}
	}
	return all
}

// add adds an extent to the previous one if it continues that.
func add(all []Extent, next Extent) []Extent {
	if last := len(all) - 1; last >= 0 && all[last].IsHole == next.IsHole && all[last].Offset+all[last].Length == next.Offset {
		all[last].Length += next.Length
		return all
	}
	return append(all, next)
}

// cursor is a position in a body: an index of a piece, and the number of bytes of that piece, or
// after the end, before the position.
type cursor struct {
	body     Body
	index    int
	consumed int64
}

// peek returns at most limit bytes at the position, of one piece. After the end of the body is a
// hole.
func (c *cursor) peek(limit int64) piece {
	for {
		p, ok := c.body.piece(c.index)
		if !ok {
			return piece{length: limit}
		}
		if c.consumed < p.length {
			length := min(limit, p.length-c.consumed)
			if p.isHole() {
				return piece{length: length}
			}
			return piece{p.blob, p.offset + c.consumed, length}
		}
		c.consumed, c.index = c.consumed-p.length, c.index+1
	}
}
