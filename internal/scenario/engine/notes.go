package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/internal/scenario/timeout"
	"github.com/cosi-emu/cosi-emu/internal/seam"
)

const (
	// minPending is the time after which a pending operation explains a timeout.
	minPending = 500 * time.Millisecond
	// starved is the least share of the time waiting for a processor that explains a timeout.
	starved = 0.5
)

// explain adds the circumstances to a failure by a timeout: operations in flight, ended processes,
// a starved machine. The mark is the last event before the step.
func (r *run) explain(ctx context.Context, err error, mark uint64) error {
	failure, ok := errors.AsType[*outcome.Failure](err)
	limit, timedOut := errors.AsType[*timeout.Error](context.Cause(ctx))
	if !ok || !timedOut {
		return err
	}
	scope := r.eventScope()
	concerns := func(e journal.Event) bool { return !scope.Concerns(e) }
	events := slices.DeleteFunc(r.engine.journal.Since(r.result.From-1), concerns)
	inStep := slices.DeleteFunc(slices.Clone(events), func(e journal.Event) bool { return e.Seq <= mark })
	driver := append(inFlight(slices.DeleteFunc(r.engine.journal.Pending(), concerns), isCall), driverTrouble(inStep)...)
	if len(driver) > 0 {
		r.mu.Lock()
		r.unresponsive = true
		r.mu.Unlock()
	}
	failure.Notes = slices.Concat(driver,
		inFlight(slices.DeleteFunc(r.engine.journal.Pending(), concerns), isRequest), r.ended(events, mark), starvationNote(limit))
	return err
}

// isCall reports whether an event is a call to the driver, on the side of the caller.
func isCall(e journal.Event) bool {
	return e.Seam == journal.SeamRPC && emulator.IsSidecar(e.Component)
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

// driverTrouble describes the calls that ended without an answer of the driver.
func driverTrouble(events []journal.Event) []string {
	var order []string
	counts := map[string]int{}
	for _, e := range events {
		if !isCall(e) || e.Fault != "" {
			continue
		}
		var what string
		switch {
		case brokenConnection(e):
			what = "the driver's process ended during " + e.Operation.Name
		case unreachable(e):
			what = "the driver is not reachable for " + e.Operation.Name
		case e.Outcome == "DeadlineExceeded":
			what = fmt.Sprintf("%s has not answered within %s", e.Operation.Name, e.Duration.Round(time.Second/10))
		default:
			continue
		}
		if counts[what] == 0 {
			order = append(order, what)
		}
		counts[what]++
	}
	for i, what := range order {
		if n := counts[what]; n > 1 {
			order[i] = fmt.Sprintf("%s, %d times", what, n)
		}
	}
	return order
}

// brokenConnection reports whether the connection of a call ended before the answer.
func brokenConnection(e journal.Event) bool {
	return e.Outcome == "Unavailable" && slices.ContainsFunc(
		[]string{"error reading from server", "connection reset by peer", "broken pipe", seam.ErrFenced.Error()},
		func(text string) bool { return strings.Contains(e.Message, text) })
}

// unreachable reports whether there was no connection for a call.
func unreachable(e journal.Event) bool {
	return e.Outcome == "Unavailable" && strings.Contains(e.Message, "connection error")
}

// ended describes the processes that have ended since a mark, and whether they run again, and those
// that ended before and do not run again.
func (r *run) ended(events []journal.Event, mark uint64) []string {
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
	for _, c := range r.engine.emulator.Components() {
		if state, _ := c.State(); state == emulator.StateStopped && r.eventScope().Names(c.Name()) {
			notes = append(notes, c.Name()+" is stopped")
		}
	}
	return notes
}

// isReadyAgain reports whether the process that has ended is ready again later.
func isReadyAgain(ended journal.Event, later []journal.Event) bool {
	return slices.ContainsFunc(later, func(e journal.Event) bool {
		return e.Component == ended.Component && e.Seam == ended.Seam && e.Operation.Name == journal.StepReady
	})
}

// starvationNote reports that other work kept the machine busy.
func starvationNote(limit *timeout.Error) []string {
	if limit.Usage.Share() < starved {
		return nil
	}
	return []string{fmt.Sprintf("the machine was starved: in %s the emulator's threads ran for %s, and waited %s for a processor",
		limit.Elapsed.Round(time.Second/10), limit.Usage.Ran.Round(time.Second/10), limit.Usage.Waited.Round(time.Second/10))}
}
