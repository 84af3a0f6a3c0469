package cause

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/explore/run"
	"github.com/cosi-emu/cosi-emu/internal/oracle/checks"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// culprit is an action of a component, or an answer of the driver, that explains a finding.
type culprit struct {
	// cause is equal for findings of the same bug. It is empty if only the last event about
	// the object is known.
	cause string
	// text describes the event.
	text string
	seen []journal.Event
}

type search struct {
	run, clean *run.Record
	// events are the run's events up to the observed end. faulted are those with a fault of the
	// case, by start.
	events, faulted []journal.Event
}

// findCulprit compares a run with the clean run, which may be the same. It returns, in this order:
// the second of two identical calls; a call that the driver never answered as it should; an operation that was not repeated after the
// fault; the events that a standing oracle names; the first write or call that the clean run does
// not have; the last event about the object of the finding.
func findCulprit(o, clean *run.Record, findings []checks.Finding) culprit {
	s := newSearch(o, clean)
	for _, explain := range s.attributions() {
		if c, ok := explain(findings); ok {
			return c
		}
	}
	return culprit{}
}

func newSearch(o, clean *run.Record) *search {
	s := &search{run: o, clean: clean}
	for _, e := range run.InOrder(o.Events) {
		if o.End.Until > 0 && e.Seq > o.End.Until || e.Seam == journal.SeamLog {
			continue
		}
		s.events = append(s.events, e)
		if slices.ContainsFunc(o.Injected(), func(f fault.Status) bool { return f.Name == e.Fault }) {
			s.faulted = append(s.faulted, e)
		}
	}
	return s
}

// attribution finds what explains findings.
type attribution func([]checks.Finding) (culprit, bool)

// attributions returns those that apply to the run. After an interference, operations outside the
// clean run are correct, too. Without faults, other findings have other causes.
func (s *search) attributions() []attribution {
	interferes := slices.ContainsFunc(s.run.Faults, func(f fault.Status) bool { return f.Interfere != "" })
	if interferes || len(s.run.Injected()) == 0 {
		return []attribution{s.named, s.answer, s.last}
	}
	return []attribution{s.duplicated, s.answer, s.unrepeated, s.named, s.additional, s.last}
}

// alike returns the operations among events that equal one in component, name and subject.
func (s *search) alike(e journal.Event, events []journal.Event) []journal.Event {
	return slices.DeleteFunc(slices.Clone(events), func(other journal.Event) bool {
		return other.Component != e.Component || other.Seam != e.Seam || other.Operation != e.Operation
	})
}

// inClean returns the operations of the clean run that correspond to one of the run.
func (s *search) inClean(e journal.Event) []journal.Event {
	key := s.run.Key(e)
	return slices.DeleteFunc(slices.Clone(s.clean.Events), func(c journal.Event) bool { return s.clean.Key(c) != key })
}

// shownNamed limits the number of events in the text of a finding.
const shownNamed = 2

// named returns the events that a standing oracle names. For a leak, they only show the creator.
func (s *search) named(findings []checks.Finding) (culprit, bool) {
	for _, f := range findings {
		var seen []journal.Event
		for _, e := range s.events {
			if f.Oracle != vocabulary.Leak && slices.Contains(f.Events, e.Seq) {
				seen = append(seen, e)
			}
		}
		if len(seen) == 0 {
			continue
		}
		if f.Oracle == vocabulary.Secret { // all others follow from the first
			seen = seen[:1]
		}
		texts := make([]string, 0, shownNamed)
		for _, e := range seen[:min(len(seen), shownNamed)] {
			texts = append(texts, s.did(e))
		}
		c := culprit{cause: s.cause(seen[0], f.Oracle+": "+run.Normalized(f.Message)), text: strings.Join(texts, ", then "), seen: seen}
		if f.Message != findings[0].Message {
			c.text += fmt.Sprintf(" (%s: %s)", f.Oracle, f.Message)
		}
		return c, true
	}
	return culprit{}, false
}

func (s *search) last(findings []checks.Finding) (culprit, bool) {
	if len(findings) == 0 {
		return culprit{}, false
	}
	subject := findings[0].Subject
	for _, e := range slices.Backward(s.events) {
		if changes(e) && s.concerns(e, subject) {
			return culprit{
				text: fmt.Sprintf("the last write or call about %s: %s", subject, s.didWith(e, s.outcome(e))),
				seen: []journal.Event{e},
			}, true
		}
	}
	return culprit{}, false
}

// concerns reports whether an event is about the subject of a finding: KIND/NAME, "KIND NAME" as in
// a state, or a bucket or account of the backend.
func (s *search) concerns(e journal.Event, subject string) bool {
	about := s.names(e.Operation.Subject[strings.LastIndex(e.Operation.Subject, "/")+1:])
	_, resource, _ := strings.Cut(e.Operation.Name, " ")
	resource, _, _ = strings.Cut(resource, "/")
	kind := run.KindOf[resource]
	switch {
	case about == "":
		return false
	case e.Seam == journal.SeamAPI:
		return kind != "" && (subject == kind+"/"+about || subject == kind+" "+about)
	default:
		return strings.HasSuffix(subject, " "+about) || strings.HasSuffix(subject, "/"+about)
	}
}

// cause names the bug that an event shows, without the names of objects and drivers.
func (s *search) cause(e journal.Event, what string) string {
	return fmt.Sprintf("%s %s: %s", run.Normalized(e.Component), e.Operation.Name, what)
}

func (s *search) names(text string) string { return s.run.Names.In(text) }

func (s *search) outcome(e journal.Event) string {
	if e.Message == "" {
		return e.Outcome
	}
	return e.Outcome + ": " + s.names(e.Message)
}

func ordinal(n int) string {
	switch {
	case n%10 == 1 && n%100 != 11:
		return fmt.Sprintf("%dst", n)
	case n%10 == 2 && n%100 != 12:
		return fmt.Sprintf("%dnd", n)
	case n%10 == 3 && n%100 != 13:
		return fmt.Sprintf("%drd", n)
	default:
		return fmt.Sprintf("%dth", n)
	}
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
