// Package secretvalues knows the secret values of a run, and finds and removes them in
// text, in whatever form a component has written them.
//
// A value is known once a driver has returned it, the store has issued it, or a component
// has written it into a Secret. It stays known when the Secret is deleted. Values are in
// memory only.
package secretvalues

import (
	"bytes"
	"slices"
	"strings"
	"sync"

	"github.com/cosi-emu/cosi-emu/proto/redact"
)

const (
	// minValue is the length of the shortest value that is looked for. Shorter ones
	// occur everywhere.
	minValue = window
	// minFolded is the length of the shortest form that is looked for without
	// separators: shorter ones may be words of a sentence.
	minFolded = 16
	// maxValues is how many values are known at most, the latest.
	maxValues = 1 << 15
)

// Values are the secret values that are known. The zero value knows none. It is safe for
// concurrent use.
type Values struct {
	mu     sync.RWMutex
	known  map[string]*secret
	count  int // of the values that were ever added
	exact  matcher
	folded matcher
}

// secret is a value that is known.
type secret struct {
	value string
	owner string
	n     int // the how many-th value it is, from 1
}

// Account and Secret name the owners of values.
func Account(id string) string { return "account " + id }

// Secret names the Secret that holds a value.
func Secret(namespace, name string) string { return "Secret " + namespace + "/" + name }

// Add adds a value of an owner. If several accounts have the same value, the latest is its
// owner.
func (v *Values) Add(owner, value string) {
	if len(value) < minValue || strings.Contains(value, redact.Placeholder) {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if s := v.known[value]; s != nil {
		if strings.HasPrefix(owner, Account("")) {
			s.owner = owner
		}
		return
	}
	if len(v.known) >= maxValues {
		v.forgetHalf()
	}
	v.count++
	s := &secret{value, owner, v.count}
	if v.known == nil {
		v.known = map[string]*secret{}
	}
	v.known[value] = s
	v.index(s)
}

func (v *Values) index(s *secret) {
	for _, form := range exactForms(s.value) {
		v.exact.add([]byte(form), s)
	}
	for _, form := range foldedForms(s.value) {
		v.folded.add([]byte(form), s)
	}
}

// forgetHalf forgets the older half of the values.
func (v *Values) forgetHalf() {
	v.exact, v.folded = matcher{}, matcher{}
	for value, s := range v.known {
		if s.n <= v.count-maxValues/2 {
			delete(v.known, value)
		} else {
			v.index(s)
		}
	}
}

// Count returns how many values were added until now. A text that was redacted then needs
// to be redacted again only for values after that.
func (v *Values) Count() int {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.count
}

// span is a part of a text that shows a value.
type span struct {
	from, to int
	owner    string
}

// spans returns the parts of a text that show values after a count, in their order,
// without overlaps.
func (v *Values) spans(text []byte, after int) []span {
	v.mu.RLock()
	defer v.mu.RUnlock()
	if v.count <= after || len(text) < minValue {
		return nil
	}
	found, folded := v.exactSpans(text, after)
	if folded {
		found = append(found, v.foldedSpans(text, after)...)
	}
	return merge(found)
}

// exactSpans returns the parts of a text that show values, and whether foldedSpans may find more. The
// journal scans all that components send, so that this one pass over the text allocates nothing.
func (v *Values) exactSpans(text []byte, after int) (found []span, folded bool) {
	hit := func(from, to int, s *secret) { found = append(found, span{from, to, s.owner}) }
	var w, letters uint64
	for i, b := range text {
		w = w<<byteBits | uint64(b)
		if i >= window-1 && v.exact.mayHave(w) {
			v.exact.find(text, i-window+1, after, hit)
		}
		if l := letterOf[b]; l != 0 && !folded && !isEscape(text, i) {
			letters = letters<<byteBits | uint64(l)
			folded = v.folded.mayHave(letters)
		}
	}
	return found, folded
}

// foldedSpans returns the parts of a text that show values among other characters.
func (v *Values) foldedSpans(text []byte, after int) (found []span) {
	letters, places := fold(text)
	hit := func(from, to int, s *secret) {
		found = append(found, span{places[from], places[to-1] + 1, s.owner})
	}
	var w uint64
	for i, l := range letters {
		w = w<<byteBits | uint64(l)
		if i >= window-1 && v.folded.mayHave(w) {
			v.folded.find(letters, i-window+1, after, hit)
		}
	}
	return found
}

func merge(all []span) []span {
	slices.SortStableFunc(all, func(a, b span) int { return a.from - b.from })
	var merged []span
	for _, s := range all {
		if last := len(merged) - 1; last >= 0 && s.from < merged[last].to {
			merged[last].to = max(merged[last].to, s.to)
			continue
		}
		merged = append(merged, s)
	}
	return merged
}

// Redact returns a text without the values after a count, and their owners, each once.
func (v *Values) Redact(text string, after int) (redacted string, owners []string) {
	found := v.spans([]byte(text), after)
	if len(found) == 0 {
		return text, nil
	}
	return string(replace([]byte(text), found)), ownersOf(found)
}

func replace(text []byte, found []span) []byte {
	var out bytes.Buffer
	at := 0
	for _, s := range found {
		out.Write(text[at:s.from])
		out.WriteString(redact.Placeholder)
		at = s.to
	}
	out.Write(text[at:])
	return out.Bytes()
}

func ownersOf(found []span) []string {
	var owners []string
	for _, s := range found {
		if !slices.Contains(owners, s.owner) {
			owners = append(owners, s.owner)
		}
	}
	return owners
}
