package fault

import (
	"strings"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// Crossing is an operation that is about to happen.
type Crossing struct {
	Seam      journal.Seam
	Component string
	Operation string
	Subject   string
	// Serving is true on the side of a call that answers it.
	Serving bool
}

func (c Crossing) event() bool {
	return c.Seam == journal.SeamAPI && strings.HasPrefix(c.Operation, EventPrefix)
}

// matches reports whether the crossing is one of those that are counted.
func (m Match) matches(c Crossing) bool {
	if m.Seam != c.Seam || (m.Seam == journal.SeamRPC && c.Serving && m.Component == "") {
		return false
	}
	return like(m.Component, c.Component) && like(m.Operation, c.Operation) && like(m.Subject, c.Subject)
}

// like compares a text with a pattern in which * stands for any characters.
func like(pattern, text string) bool {
	if pattern == "" {
		return true
	}
	parts := strings.Split(pattern, "*")
	first, rest := parts[0], parts[1:]
	text, found := strings.CutPrefix(text, first)
	if !found || len(rest) == 0 {
		return found && text == ""
	}
	last := rest[len(rest)-1]
	for _, part := range rest[:len(rest)-1] {
		at := strings.Index(text, part)
		if at < 0 {
			return false
		}
		text = text[at+len(part):]
	}
	return strings.HasSuffix(text, last)
}
