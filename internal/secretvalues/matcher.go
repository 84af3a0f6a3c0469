package secretvalues

import (
	"bytes"
	"encoding/binary"
)

const (
	// window is how many bytes of a form select it.
	window = 8
	// filterBits is the size of the filter that most of a text is skipped with.
	filterBits = 20
	wordBits   = 6
	byteBits   = 8
	// multiplier spreads windows over the filter (Knuth: 2^64 divided by the golden ratio).
	multiplier = 0x9E3779B97F4A7C15
)

// matcher finds many forms in a text.
type matcher struct {
	filter []uint64
	forms  map[uint64][]form
}

type form struct {
	text []byte
	of   *secret
}

func slot(w uint64) (word, bit uint64) {
	hash := (w * multiplier) >> (64 - filterBits)
	return hash >> wordBits, 1 << (hash & (1<<wordBits - 1))
}

func (m *matcher) add(text []byte, of *secret) {
	if m.forms == nil {
		m.forms, m.filter = map[uint64][]form{}, make([]uint64, 1<<(filterBits-wordBits))
	}
	first := binary.BigEndian.Uint64(text)
	m.forms[first] = append(m.forms[first], form{text, of})
	word, bit := slot(first)
	m.filter[word] |= bit
}

// mayHave reports whether a text that has a window may have a form. It errs on the side of true.
func (m *matcher) mayHave(w uint64) bool {
	if m.filter == nil {
		return false
	}
	word, bit := slot(w)
	return m.filter[word]&bit != 0
}

// find calls hit for every form of a secret after a count that begins at a place of a text.
func (m *matcher) find(text []byte, from, after int, hit func(from, to int, s *secret)) {
	for _, f := range m.forms[binary.BigEndian.Uint64(text[from:])] {
		if f.of.n > after && bytes.HasPrefix(text[from:], f.text) {
			hit(from, from+len(f.text), f.of)
		}
	}
}
