// Package notes explains a timeout by its circumstances: operations in flight, ended processes, a
// starved machine.
package notes

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/scenario/timeout"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// minPending is the time after which a pending operation explains a timeout.
const minPending = 500 * time.Millisecond

// Driver describes the calls to the driver that are in flight, and the ones that ended without an
// answer. The events are those of the step.
func Driver(pending, events []journal.Event) []string {
	return append(inFlight(pending, isCall), driverTrouble(events)...)
}

// Requests describes the requests to the API server and the store that are in flight.
func Requests(pending []journal.Event) []string { return inFlight(pending, isRequest) }

// isCall reports whether an event is a call to the driver, on the side of the caller.
func isCall(e journal.Event) bool {
	return e.Seam == journal.SeamRPC && vocabulary.IsSidecar(e.Component)
}

// isRequest reports whether an event is a request to the API server or the store that is
// answered at once.
func isRequest(e journal.Event) bool {
	return e.Seam == journal.SeamStore || e.Seam == journal.SeamAPI &&
		!strings.HasPrefix(e.Operation.Name, "watch ") && !strings.HasPrefix(e.Operation.Name, journal.EventPrefix)
}

// inFlight describes the operations without an answer, and how long they have run.
func inFlight(pending []journal.Event, selected func(journal.Event) bool) []string {
	slices.SortFunc(pending, func(a, b journal.Event) int { return a.Time.Compare(b.Time) })
	var notes []string
	for _, e := range pending {
		if took := time.Since(e.Time); selected(e) && took >= minPending {
			notes = append(notes, fmt.Sprintf("%s has not answered for %s (call of %s about %s)",
				e.Operation.Name, took.Round(time.Second/10), e.Component, e.Operation.Subject))
		}
	}
	return notes
}

// Machine reports that other work kept the machine busy.
func Machine(limit *timeout.Error) []string {
	if !limit.Usage.Starved(limit.Elapsed) {
		return nil
	}
	return []string{fmt.Sprintf("the machine was starved: in %s the emulator's threads ran for %s, and waited %s for a processor",
		limit.Elapsed.Round(time.Second/10), limit.Usage.Ran.Round(time.Second/10), limit.Usage.Waited.Round(time.Second/10))}
}
