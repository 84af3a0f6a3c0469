package cause

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/explore/run"
	"github.com/cosi-emu/cosi-emu/internal/oracle/checks"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// unrepeated finds an operation that a fault prevented, and that its component did not repeat
// successfully.
func (s *search) unrepeated([]checks.Finding) (culprit, bool) {
	for _, e := range s.faulted {
		f := s.faultOf(e)
		byOthers := e.Seam == journal.SeamProcess || e.Component == vocabulary.Store || e.Component == vocabulary.Administrator
		if byOthers || !s.mustRepeat(e, f.Effect) {
			continue
		}
		if e.Seam == journal.SeamStore {
			if c, ok := s.unrepeatedByDriver(e, f); ok {
				return c, true
			}
			continue
		}
		e.Component = s.callerOf(e)
		if c, ok := s.gaveUp(e, s.prevented(e, f.Effect)); ok {
			return c, true
		}
	}
	return culprit{}, false
}

func (s *search) faultOf(e journal.Event) fault.Status {
	at := slices.IndexFunc(s.run.Faults, func(f fault.Status) bool { return f.Name == e.Fault })
	return s.run.Faults[at]
}

// mustRepeat reports whether a component has to repeat an operation after an effect: the operation
// changes something, and the component got an error or no answer.
func (s *search) mustRepeat(e journal.Event, effect fault.Effect) bool {
	p := run.Point{Seam: e.Seam, Operation: e.Operation.Name}
	if p.Reads() || p.Event() || strings.HasSuffix(e.Operation.Name, " events") || effect.Interfere != "" {
		return false
	}
	if e.Seam == journal.SeamAPI { // a component's next read shows that the write has happened
		return effect.Fail != "" || effect.Crash == fault.Before
	}
	return effect.Fail != "" || effect.Crash != "" || effect.LoseReply != "" || e.Failed()
}

// prevented describes how a fault affected an operation.
func (s *search) prevented(e journal.Event, effect fault.Effect) string {
	switch effect.Crash {
	case fault.Before:
		return "which a crash had prevented"
	case fault.After:
		return "whose response a crash had prevented"
	default:
		return fmt.Sprintf("which had failed with %s because of the fault", e.Outcome)
	}
}

// callerOf returns the component that makes a call at the seam of the driver or of a bridge. If
// none of the sidecar's calls failed, the sidecar has no reason to repeat it.
func (s *search) callerOf(e journal.Event) string {
	if e.Seam != journal.SeamRPC || isDriverCall(e) {
		return e.Component
	}
	at := slices.IndexFunc(s.events, func(c journal.Event) bool { return isDriverCall(c) && c.Failed() && c.Operation == e.Operation })
	if at < 0 {
		return e.Component
	}
	return s.events[at].Component
}

// gaveUp blames a component that did not repeat an operation, always failed with it, or went on without it.
func (s *search) gaveUp(e journal.Event, prevented string) (culprit, bool) {
	again := slices.DeleteFunc(s.alike(e, s.events), func(other journal.Event) bool { return !other.Time.After(e.Time) })
	if at := slices.IndexFunc(again, hasEffect); at >= 0 {
		return s.wentOn(e, again[at], prevented)
	}
	who, what := s.names(e.Component), s.names(e.Operation.String())
	if len(again) > 0 {
		last := again[len(again)-1]
		return culprit{
			cause: s.cause(e, "fails"), seen: []journal.Event{e, last},
			text: fmt.Sprintf("%s repeated %s, %s, %s, and never with success: the last returned %s",
				who, what, prevented, times(len(again)), s.outcome(last)),
		}, true
	}
	c := culprit{
		cause: s.cause(e, notRepeated), seen: []journal.Event{e},
		text: fmt.Sprintf("%s did not repeat %s, %s%s", who, what, prevented, s.untilEnd(e)),
	}
	next, ok := s.next(e)
	if !ok {
		c.text += "; it wrote and called nothing after it"
		return c, true
	}
	c.text += "; next it " + s.act(next, next.Outcome)
	c.seen = append(c.seen, next)
	return c, true
}

// wentOn blames a component that did something new with the object of a prevented operation before it did the operation again: what
// looks like the repetition is its next step. Who repeats begins with what it had done before.
func (s *search) wentOn(e, again journal.Event, prevented string) (culprit, bool) {
	isOf := func(other journal.Event) bool {
		return other.Component == e.Component && other.Operation.Subject == e.Operation.Subject && run.IsProgress(other)
	}
	done := map[string]bool{e.Operation.Name: true}
	for _, other := range s.events {
		switch {
		case !isOf(other):
		case other.Time.Before(e.Time):
			done[other.Operation.Name] = true
		case other.Time.Before(again.Time) && !done[other.Operation.Name] && !other.Failed():
			return culprit{
				cause: s.cause(e, notRepeated), seen: []journal.Event{e, other},
				text: fmt.Sprintf("%s did not repeat %s, %s; next it %s", s.names(e.Component), s.names(e.Operation.String()),
					prevented, s.act(other, other.Outcome)),
			}, true
		}
	}
	return culprit{}, false
}

// hasEffect reports whether what an operation asks for is so after it: it succeeded, or its object to delete
// did not exist any more.
func hasEffect(e journal.Event) bool {
	inName := func(word string) bool { return strings.Contains(e.Operation.Name, word) }
	deletes := slices.ContainsFunc([]string{"delete ", "Delete", "Revoke"}, inName)
	return !e.Failed() || deletes && slices.Contains([]string{"NotFound", "NotExist"}, e.Outcome)
}

const notRepeated = "not repeated"

// isRetriable reports whether a sidecar must repeat a call with this outcome. It must repeat
// deletions and revocations after every code.
func isRetriable(e journal.Event) bool {
	if e.Operation.Name == "DriverDeleteBucket" || e.Operation.Name == "DriverRevokeBucketAccess" {
		return true
	}
	return !slices.Contains([]string{"InvalidArgument", "AlreadyExists", "Unimplemented", "OutOfRange"}, e.Outcome)
}

// untilEnd describes how long the run went on after an event.
func (s *search) untilEnd(e journal.Event) string {
	left := s.run.Ended.Sub(e.Time.Add(e.Duration)).Round(time.Second / 10)
	if left <= 0 {
		return ""
	}
	return fmt.Sprintf(", in the %s until the last step ended", left)
}

// next returns the next write or call of a component after an operation, in any incarnation.
func (s *search) next(e journal.Event) (journal.Event, bool) {
	for _, other := range s.events {
		if other.Component == e.Component && other.Time.After(e.Time) && run.IsProgress(other) {
			return other, true
		}
	}
	return journal.Event{}, false
}

// unrepeatedByDriver handles an operation of the driver in its backend. If the driver had answered
// the surrounding call, the driver is to blame; otherwise the caller that did not repeat the call.
func (s *search) unrepeatedByDriver(e journal.Event, f fault.Status) (culprit, bool) {
	var call journal.Event
	for _, other := range s.events {
		p := run.Point{Seam: other.Seam, Operation: other.Operation.Name}
		if isDriverCall(other) && other.Operation.Subject == e.Operation.Subject && !p.Reads() && other.Time.Before(e.Time) {
			call = other
		}
	}
	if call.Failed() {
		if c, ok := s.gaveUp(call, fmt.Sprintf("which had failed with %s because of the fault", call.Outcome)); ok {
			return c, true
		}
	}
	c, ok := s.gaveUp(e, s.prevented(e, f.Effect))
	if ok && call.Outcome == journal.OutcomeOK {
		c.text = fmt.Sprintf("driver had answered %s with OK; %s", s.names(call.Operation.String()), c.text)
		c.seen = append([]journal.Event{call}, c.seen...)
	}
	return c, ok
}
