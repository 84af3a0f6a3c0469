package objects

import (
	"bytes"
	"io"
)

// Memory is a blob that is being written in memory. It never allocates for bytes
// that have not come: a piece holds as much as all before it, up to a limit.
type Memory struct {
	declared, size int64
	pieces         [][]byte
}

const (
	firstPiece   = 64 << 10
	largestPiece = 1 << 20
)

// NewMemory returns an empty blob. The size that is declared is a hint.
func NewMemory(declared int64) *Memory { return &Memory{declared: declared} }

// Write implements io.Writer.
func (m *Memory) Write(data []byte) (int, error) {
	written := len(data)
	for len(data) > 0 {
		last := len(m.pieces) - 1
		if last < 0 || len(m.pieces[last]) == cap(m.pieces[last]) {
			m.pieces = append(m.pieces, make([]byte, 0, m.next(int64(len(data)))))
			last++
		}
		n := min(len(data), cap(m.pieces[last])-len(m.pieces[last]))
		m.pieces[last] = append(m.pieces[last], data[:n]...)
		data, m.size = data[n:], m.size+int64(n)
	}
	return written, nil
}

func (m *Memory) next(arrived int64) int64 {
	left := m.declared - m.size
	return max(min(left, max(m.size, firstPiece), largestPiece), min(arrived, largestPiece))
}

// Blob returns what has been written.
func (m *Memory) Blob() Blob {
	if len(m.pieces) == 1 {
		return small(m.pieces[0])
	}
	return large{m.pieces, m.size}
}

type small []byte

func (s small) Size() int64 { return int64(len(s)) }

func (s small) Open(offset, length int64) (io.ReadCloser, error) {
	return io.NopCloser(bytes.NewReader(s[offset : offset+length])), nil
}

type large struct {
	pieces [][]byte
	size   int64
}

func (l large) Size() int64 { return l.size }

func (l large) Open(offset, length int64) (io.ReadCloser, error) {
	var readers []io.Reader
	for _, piece := range l.pieces {
		if skip := min(offset, int64(len(piece))); skip > 0 {
			offset, piece = offset-skip, piece[skip:]
		}
		take := min(length, int64(len(piece)))
		if take > 0 {
			readers = append(readers, bytes.NewReader(piece[:take]))
		}
		length -= take
	}
	return io.NopCloser(io.MultiReader(readers...)), nil
}
