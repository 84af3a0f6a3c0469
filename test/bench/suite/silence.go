package suite

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/test/bench/figure"
)

const (
	// quietPeriod is how long nothing must have happened before silence is measured: a component
	// writes an Event a moment after its cause.
	quietPeriod = time.Second
	// quietTimeout is the time limit for the emulator to become quiet. If it does not, its activity
	// is measured.
	quietTimeout = 30 * time.Second
)

// measureSilence counts what crosses the seams in an emulator in which nothing
// is to be done.
func (t *target) measureSilence(ctx context.Context, window time.Duration) (figure.Figure, error) {
	if err := t.waitQuiet(ctx); err != nil {
		return figure.Figure{}, err
	}
	events, err := t.watchFor(ctx, window, func(journal.Event) bool { return false })
	if err != nil {
		return figure.Figure{}, err
	}
	count, reads := 0, 0
	var seen []string
	for _, e := range events {
		switch {
		case busy(e):
			count++
			seen = append(seen, e.String())
		case e.Seam == journal.SeamAPI:
			reads++
		}
	}
	notes := append([]string{fmt.Sprintf("over %s; beside, %d reads and watches", window, reads)}, seen...)
	return figure.New("silence of a settled emulator", float64(count), figure.UnitOperations, 0, notes...), nil
}

// busy reports whether an event is a write or a call, that is, work. Renewals of a
// leader's Lease do not count.
func busy(e journal.Event) bool {
	return e.Seam == journal.SeamRPC || e.Write() && !strings.HasSuffix(e.Operation.Name, " leases")
}

func (t *target) waitQuiet(ctx context.Context) error {
	deadline := time.Now().Add(quietTimeout)
	for time.Now().Before(deadline) {
		events, err := t.watchFor(ctx, quietPeriod, busy)
		if err != nil {
			return err
		}
		if len(events) == 0 || !busy(events[len(events)-1]) {
			return nil
		}
	}
	return nil
}

// watchFor collects events for a time, or up to one of which the condition
// holds.
func (t *target) watchFor(ctx context.Context, window time.Duration, holds func(journal.Event) bool) ([]journal.Event, error) {
	limit, cancel := context.WithTimeout(ctx, window)
	defer cancel()
	events, err := t.journal.until(limit, holds)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = nil
	}
	return events, err
}
