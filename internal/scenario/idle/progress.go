package idle

import (
	"slices"
	"strings"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/eventscope"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// LastProgress returns the last time after an event at which a component made progress in a scope,
// or the zero time.
func LastProgress(j *journal.Journal, scope eventscope.Scope, mark uint64) time.Time {
	for _, e := range slices.Backward(j.Since(mark)) {
		if isProgress(e) && scope.Concerns(e) {
			return e.Time.Add(e.Duration)
		}
	}
	return time.Time{}
}

// isProgress reports whether an event is a successful write or call. Failed ones repeat, and so do
// Events and Leases.
func isProgress(e journal.Event) bool {
	return e.Changes() && !e.Failed() && e.Component != vocabulary.Administrator && !strings.HasSuffix(e.Operation.Name, " events")
}
