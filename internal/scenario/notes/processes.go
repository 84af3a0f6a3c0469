package notes

import (
	"fmt"
	"slices"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// Processes describes the processes that have ended since a mark, and whether they run again, and those
// that ended before and do not run again.
func Processes(events []journal.Event, mark uint64) []string {
	var notes []string
	for i, e := range events {
		if e.Seam != journal.SeamProcess || e.Operation.Name != journal.StepCrash && e.Operation.Name != journal.StepFail {
			continue
		}
		again := isReadyAgain(e, events[i:])
		if again && e.Seq <= mark {
			continue
		}
		note := fmt.Sprintf("the process of %s ended (%s) %s ago", e.Component, e.Operation.Name, time.Since(e.Time).Round(time.Second/10))
		if e.Message != "" {
			note += ": " + e.Message
		}
		if !again {
			note += "; it is not ready again"
		}
		notes = append(notes, note)
	}
	return notes
}

// isReadyAgain reports whether the process that has ended is ready again later.
func isReadyAgain(ended journal.Event, later []journal.Event) bool {
	return slices.ContainsFunc(later, func(e journal.Event) bool {
		return e.Component == ended.Component && e.Seam == ended.Seam && e.Operation.Name == journal.StepReady
	})
}
