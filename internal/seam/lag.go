package seam

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

const (
	// lagQuiet is the time without progress after which one event passes. A component that has something to
	// do starts within it, unless it waits for a retry.
	lagQuiet = 150 * time.Millisecond
	// lagPoll is the time between two looks at an operation in flight.
	lagPoll = 10 * time.Millisecond
)

// lag waits until no component makes progress without this event, or until its fault is removed. A retry
// that fails again is no progress.
func (o *operation) lag(ctx context.Context) error {
	j := o.incarnation.journal
	mark, since := j.Mark(), time.Now()
	for {
		busy := slices.ContainsFunc(j.Pending(), progresses) // read the pending operations before the ended ones
		for _, e := range j.Since(mark) {
			mark = e.Seq
			if ended := e.Time.Add(e.Duration); progresses(e) && !e.Failed() && ended.After(since) {
				since = ended
			}
		}
		left := lagQuiet - time.Since(since)
		if !busy && left <= 0 {
			return nil
		}
		if err := o.applied.Wait(ctx, max(left, lagPoll)); err != nil {
			return ended(ctx)
		}
		select {
		case <-o.applied.Done():
			return nil
		default:
		}
	}
}

// progresses reports whether an operation can change something: a write to the API server, or a call to a
// driver.
func progresses(e journal.Event) bool {
	return e.Seam == journal.SeamRPC || e.Write() && !strings.HasSuffix(e.Operation.Name, " leases")
}
