package oracle

import (
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// Scope says what is judged, on an emulator that others use at the same time. What
// belongs to it is known by words: the namespace, and the UIDs of objects, which
// are part of the names that COSI makes.
type Scope struct {
	// Alone says that nobody else has used the emulator meanwhile. Then all is in
	// the scope that is not known to be of others: a call for a bucket that
	// nobody has heard of must have been somebody's mistake.
	Alone bool `json:"alone,omitempty"`
	// Namespaces are those of the scope.
	Namespaces []string `json:"namespaces,omitempty"`
	// Words are what other names are known by.
	Words []string `json:"words,omitempty"`
	// Others are words of what others have left behind.
	Others []string `json:"others,omitempty"`
}

// Names reports whether a name is of the scope.
func (s Scope) Names(name string) bool {
	if s.Alone {
		return !hasAny(name, s.Others)
	}
	return hasAny(name, s.Words) || hasAny(name, s.Namespaces)
}

// HasNamespace reports whether a namespace is of the scope.
func (s Scope) HasNamespace(namespace string) bool {
	if s.Alone {
		return !slices.Contains(s.Others, namespace)
	}
	return slices.Contains(s.Namespaces, namespace)
}

// Concerns reports whether an event is of the scope, by what it is about or by who
// has made it.
func (s Scope) Concerns(e journal.Event) bool {
	if s.Alone {
		return !hasAny(e.Operation.Subject, s.Others) && !hasAny(e.Component, s.Others)
	}
	return s.Names(e.Operation.Subject) || s.Names(e.Component)
}

func hasAny(text string, words []string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return hasWord(text, word) })
}

// hasWord reports whether a text has a word in it that does not go on to the left
// or the right: story-1 is not in story-10.
func hasWord(text, word string) bool {
	if word == "" {
		return false
	}
	for from := 0; ; {
		at := strings.Index(text[from:], word)
		if at < 0 {
			return false
		}
		begin, end := from+at, from+at+len(word)
		if (begin == 0 || !goesOn(text[begin-1])) && (end == len(text) || !goesOn(text[end])) {
			return true
		}
		from = begin + 1
	}
}

func goesOn(c byte) bool { return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' }
