package seam

import (
	"context"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

const (
	// lagQuiet is the time without progress after which one event passes. A component that has something to
	// do starts within it, unless it waits for a retry.
	lagQuiet = 150 * time.Millisecond
	// lagPoll is the time between two looks at an operation in flight.
	lagPoll = 10 * time.Millisecond
	// lagRepetitions is how often one operation is progress. A component may repeat it until it sees the event.
	lagRepetitions = 3
)

// lag waits until no component makes progress without this event, or until its fault is removed.
func (o *operation) lag(ctx context.Context) error {
	w := &lagging{journal: o.incarnation.journal, since: time.Now(), times: map[string]int{}}
	for w.mark = w.journal.Mark(); ; {
		left, busy := w.look()
		if !busy && left <= 0 {
			return nil
		}
		if o.applied.Wait(ctx, max(left, lagPoll)) != nil {
			return ended(ctx)
		}
		select {
		case <-o.applied.Done():
			return nil
		default:
		}
	}
}

// lagging is what has happened since an event is held.
type lagging struct {
	journal *journal.Journal
	mark    uint64
	since   time.Time      // of the last progress
	times   map[string]int // of each operation
}

// look returns the time that is left without progress, and whether an operation that is progress is in
// flight.
func (w *lagging) look() (left time.Duration, busy bool) {
	pending := w.journal.Pending() // before the ended ones
	for _, e := range w.journal.Since(w.mark) {
		w.mark = e.Seq
		if !e.Changes() {
			continue
		}
		w.times[keyOf(e)]++
		if end := e.Time.Add(e.Duration); !e.Failed() && w.times[keyOf(e)] <= lagRepetitions && end.After(w.since) {
			w.since = end
		}
	}
	for _, e := range pending {
		busy = busy || e.Changes() && w.times[keyOf(e)] < lagRepetitions
	}
	return lagQuiet - time.Since(w.since), busy
}

func keyOf(e journal.Event) string { return e.Component + " " + e.Operation.String() }
