package fault

import (
	"strings"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/glob"
)

// Operation is an operation that is about to happen.
type Operation struct {
	Seam      journal.Seam
	Component string
	Operation string
	Subject   string
	// Serving is true on the answering side of a call.
	Serving bool
}

func (o Operation) event() bool {
	return o.Seam == journal.SeamAPI && strings.HasPrefix(o.Operation, journal.EventPrefix)
}

func (m Match) matches(c Operation) bool {
	if m.Seam != c.Seam || (m.Seam == journal.SeamRPC && c.Serving && m.Component == "") {
		return false
	}
	return glob.Match(m.Component, c.Component) && journal.MatchOperation(m.Operation, c.Operation) && glob.Match(m.Subject, c.Subject)
}
