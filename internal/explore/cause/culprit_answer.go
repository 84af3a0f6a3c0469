package cause

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/explore/run"
	"github.com/cosi-emu/cosi-emu/internal/oracle/checks"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// answer finds the first call with an outcome that the clean run does not have, which no fault
// caused, and which never succeeded after it.
func (s *search) answer([]checks.Finding) (culprit, bool) {
	for i, e := range s.events {
		if !isDriverCall(e) || !e.Failed() || e.Fault != "" || !s.afterFault(e) || s.expected(e) {
			continue
		}
		if all := s.alike(e, s.events); !all[len(all)-1].Failed() {
			continue
		}
		return s.answered(e, s.events[:i]), true
	}
	return culprit{}, false
}

func isDriverCall(e journal.Event) bool {
	return e.Seam == journal.SeamRPC && vocabulary.IsSidecar(e.Component)
}

// afterFault reports whether an event began after the first fault. Without faults, all do.
func (s *search) afterFault(e journal.Event) bool {
	return len(s.faulted) == 0 || e.Time.After(s.faulted[0].Time)
}

func (s *search) expected(e journal.Event) bool {
	return s.run != s.clean && slices.ContainsFunc(s.inClean(e), func(c journal.Event) bool { return c.Outcome == e.Outcome })
}

// answered blames the driver for an outcome of a call, or the caller, if it did not send the same
// request as without faults.
func (s *search) answered(e journal.Event, before []journal.Event) culprit {
	if c, ok := s.gaveUp(e, "which had failed with "+s.outcome(e)); ok && c.cause == s.cause(e, notRepeated) && isRetriable(e) {
		return c
	}
	c := culprit{cause: s.cause(e, e.Outcome), seen: []journal.Event{e}}
	call := fmt.Sprintf("the %s %s", ordinal(len(s.alike(e, before))+1), s.names(e.Operation.String()))
	switch {
	case e.Outcome == "DeadlineExceeded":
		c.text = fmt.Sprintf("driver has not answered %s within %s", call, e.Duration.Round(time.Millisecond))
		return c
	case s.unanswered(e):
		c.text = fmt.Sprintf("%s got no answer from the driver: %s", call, s.outcome(e))
		return c
	}
	c.text = fmt.Sprintf("driver answered %s with %s", call, s.outcome(e))
	ok := func(other journal.Event) bool { return other.Outcome == journal.OutcomeOK }
	earlier := s.alikeAtDriver(e, before)
	if at := slices.IndexFunc(earlier, ok); at >= 0 && len(s.requestDiff(e, s.run, earlier[at])) == 0 {
		c.text += fmt.Sprintf("; it had answered the %s, with the same request, with OK", ordinal(at+1))
		c.seen = []journal.Event{earlier[at], e}
		return c
	}
	usual := s.inClean(e)
	at := slices.IndexFunc(usual, ok)
	if s.run == s.clean || at < 0 {
		return c
	}
	if differences := s.requestDiff(e, s.clean, usual[at]); len(differences) > 0 {
		c.cause = s.cause(e, "request")
		c.text = fmt.Sprintf("%s sent another request than without faults in %s: %s; the driver answered %s",
			s.names(e.Component), call, strings.Join(differences, "; "), s.outcome(e))
		return c
	}
	c.text += "; without faults it answers the same request with OK"
	return c
}

// unanswered reports whether the connection ended before the driver answered.
func (s *search) unanswered(e journal.Event) bool {
	return e.Outcome == "Canceled" || e.Outcome == "Unavailable" &&
		slices.ContainsFunc([]string{"error reading from server", "connection error", "connection reset", "broken pipe"},
			func(text string) bool { return strings.Contains(e.Message, text) })
}

// alikeAtDriver returns the earlier calls that equal one. It looks at the driver's side if the
// driver has its own seam, because a fault may have changed the answer on the caller's side.
func (s *search) alikeAtDriver(e journal.Event, before []journal.Event) []journal.Event {
	var own, caller []journal.Event
	for _, other := range before {
		switch {
		case other.Seam != journal.SeamRPC || other.Operation != e.Operation || !other.Time.Before(e.Time):
		case isDriverCall(other):
			caller = append(caller, other)
		default:
			own = append(own, other)
		}
	}
	if len(own) > 0 {
		return own
	}
	return caller
}

// requestDiff returns the fields in which a request differs from another run's.
func (s *search) requestDiff(e journal.Event, other *run.Record, want journal.Event) []string {
	return run.Differing("", bodyOf(want.Request, other.Names), bodyOf(e.Request, s.run.Names))
}

// bodyOf parses a body without the values that differ between runs.
func bodyOf(body json.RawMessage, n *run.Names) any {
	var value any
	if json.Unmarshal([]byte(n.In(string(body))), &value) != nil {
		return nil
	}
	return run.Stable(value)
}
