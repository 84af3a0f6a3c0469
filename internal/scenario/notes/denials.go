package notes

import (
	"slices"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/denial"
)

// Denials describes the rights that a controller or a sidecar has needed and lacks, each once: without
// them it may wait for ever.
func Denials(events []journal.Event) []string {
	var notes []string
	for _, e := range events {
		denied, ok := denial.Of(e)
		if note := denied.String(); ok && !slices.Contains(notes, note) {
			notes = append(notes, note)
		}
	}
	return notes
}
