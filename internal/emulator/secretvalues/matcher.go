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
	// multiplier spreads windows over the filter (Knuth: 2^64 divided by the golden ratio).
	multiplier = 0x9E3779B97F4A7C15
)

// matcher finds many forms in one pass over a text.
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

// find calls hit for every form of a secret after a count that a text contains.
func (m *matcher) find(text []byte, after int, hit func(from, to int, s *secret)) {
	if m.forms == nil {
		return
	}
	var w uint64
	for i, b := range text {
		w = w<<8 | uint64(b)
		if i < window-1 {
			continue
		}
		if word, bit := slot(w); m.filter[word]&bit == 0 {
			continue
		}
		from := i - window + 1
		for _, f := range m.forms[w] {
			if f.of.n > after && bytes.HasPrefix(text[from:], f.text) {
				hit(from, from+len(f.text), f.of)
			}
		}
	}
}
