package notes

import (
	"slices"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/denial"
)

// Denials lists each right that a controller or a sidecar lacks and has asked for. Without it the component
// may never finish its work.
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
