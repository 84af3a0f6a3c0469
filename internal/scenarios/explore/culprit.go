package explore

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/emulator/oracle"
	"github.com/cosi-emu/cosi-emu/internal/emulator/vocabulary"
)

// culprit is what a component did, or what the driver answered, that explains a finding.
type culprit struct {
	// cause is equal for findings of the same bug. It is empty if only the last event about
	// the object is known.
	cause string
	// text says what was seen.
	text string
	// seen are the events that show it.
	seen []journal.Event
}

// search is the search for the culprit of a run.
type search struct {
	run, clean *runResult
	// events are those of the run, up to the end that was observed, and faulted those to
	// which a fault of the case was applied, in the order of their start.
	events, faulted []journal.Event
}

// findCulprit compares a run with the clean run, which may be the same. It returns, in this order:
// a call that the driver never answered as it should; an operation that was not repeated
// after the fault; the events that a standing oracle names; the first write or call
// that the clean run does not have; the last event about the object of the finding.
func findCulprit(run, clean *runResult, findings []oracle.Finding) culprit {
	s := newSearch(run, clean)
	for _, rule := range s.rules() {
		if c, ok := rule(findings); ok {
			return c
		}
	}
	return culprit{}
}

func newSearch(run, clean *runResult) *search {
	s := &search{run: run, clean: clean}
	for _, e := range inOrder(run.events) {
		if run.end.Until > 0 && e.Seq > run.end.Until || e.Seam == journal.SeamLog {
			continue
		}
		s.events = append(s.events, e)
		if slices.ContainsFunc(run.injected(), func(f fault.Status) bool { return f.Name == e.Fault }) {
			s.faulted = append(s.faulted, e)
		}
	}
	return s
}

type rule func([]oracle.Finding) (culprit, bool)

// rules returns the rules that apply to the run. After an interference, other operations
// than those of the clean run are correct.
func (s *search) rules() []rule {
	if slices.ContainsFunc(s.run.faults, func(f fault.Status) bool { return f.Interfere != "" }) {
		return []rule{s.named, s.answer, s.last}
	}
	return []rule{s.answer, s.unrepeated, s.named, s.additional, s.last}
}

// answer finds the first call with an outcome that the clean run does not have, which no fault
// caused, and which never succeeded after it.
func (s *search) answer([]oracle.Finding) (culprit, bool) {
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

// isDriverCall reports whether an event is a call to the driver, on the side of the caller.
func isDriverCall(e journal.Event) bool {
	return e.Seam == journal.SeamRPC && emulator.IsSidecar(e.Component)
}

// afterFault reports whether an event began after the first fault. Without faults, all do.
func (s *search) afterFault(e journal.Event) bool {
	return len(s.faulted) == 0 || e.Time.After(s.faulted[0].Time)
}

// expected reports whether the clean run has the outcome of a call, too.
func (s *search) expected(e journal.Event) bool {
	return s.run != s.clean && slices.ContainsFunc(s.inClean(e), func(c journal.Event) bool { return c.Outcome == e.Outcome })
}

// alike returns the operations among events that equal one in component, name and subject.
func (s *search) alike(e journal.Event, events []journal.Event) []journal.Event {
	return slices.DeleteFunc(slices.Clone(events), func(other journal.Event) bool {
		return other.Component != e.Component || other.Seam != e.Seam || other.Operation != e.Operation
	})
}

// inClean returns the operations of the clean run that correspond to one of the run.
func (s *search) inClean(e journal.Event) []journal.Event {
	key := s.run.key(e)
	return slices.DeleteFunc(slices.Clone(s.clean.events), func(c journal.Event) bool { return s.clean.key(c) != key })
}

// key names an operation of a component in the same way in every run.
func (o *runResult) key(e journal.Event) string {
	return fmt.Sprintf("%s %s %s", o.names.in(e.Component), e.Seam, o.names.in(e.Operation.String()))
}

// answered blames the driver for an outcome of a call, or the caller, if it did not send
// what it sends without faults.
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

// alikeAtDriver returns the earlier calls that equal one, on the side of the driver if it
// has a seam of its own: a fault may have changed what the caller got.
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

// requestDiff returns the fields of a request that differ from those of another in a run.
func (s *search) requestDiff(e journal.Event, run *runResult, want journal.Event) []string {
	return differing("", bodyOf(want.Request, run.names), bodyOf(e.Request, s.run.names))
}

// bodyOf parses a body without what differs from run to run.
func bodyOf(body json.RawMessage, n *names) any {
	var value any
	if json.Unmarshal([]byte(n.in(string(body))), &value) != nil {
		return nil
	}
	return withoutVolatile(value)
}

// unrepeated finds an operation that a fault kept from succeeding, and which its component
// did not repeat with success.
func (s *search) unrepeated([]oracle.Finding) (culprit, bool) {
	for _, e := range s.faulted {
		f := s.faultOf(e)
		if e.Component == vocabulary.Store || e.Component == vocabulary.Administrator || !s.mustRepeat(e, f.Effect) {
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
	at := slices.IndexFunc(s.run.faults, func(f fault.Status) bool { return f.Name == e.Fault })
	return s.run.faults[at]
}

// mustRepeat reports whether a component has to repeat an operation after an effect: it got an
// error, or nothing, and the operation changes something.
func (s *search) mustRepeat(e journal.Event, effect fault.Effect) bool {
	p := Point{Seam: e.Seam, Operation: e.Operation.Name}
	if p.reads() || p.event() || strings.HasSuffix(e.Operation.Name, " events") || effect.Interfere != "" {
		return false
	}
	if e.Seam == journal.SeamAPI { // what a component reads next tells it that the write has happened
		return effect.Fail != "" || effect.Crash == fault.Before
	}
	return effect.Fail != "" || effect.Crash != "" || effect.LoseReply != "" || e.Failed()
}

// prevented says what a fault did to an operation.
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

// callerOf returns the component that makes a call which the driver's seam has.
func (s *search) callerOf(e journal.Event) string {
	if e.Seam != journal.SeamRPC || isDriverCall(e) {
		return e.Component
	}
	at := slices.IndexFunc(s.events, func(c journal.Event) bool { return isDriverCall(c) && c.Operation == e.Operation })
	if at < 0 {
		return e.Component
	}
	return s.events[at].Component
}

// gaveUp blames a component that did not repeat an operation, or always failed with it.
func (s *search) gaveUp(e journal.Event, prevented string) (culprit, bool) {
	again := slices.DeleteFunc(s.alike(e, s.events), func(other journal.Event) bool { return !other.Time.After(e.Time) })
	if slices.ContainsFunc(again, func(other journal.Event) bool { return !other.Failed() }) {
		return culprit{}, false
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
	c.text += fmt.Sprintf("; its next write or call was %s -> %s", s.names(next.Operation.String()), next.Outcome)
	c.seen = append(c.seen, next)
	return c, true
}

// notRepeated is the cause of a component that does not repeat an operation.
const notRepeated = "not repeated"

// isRetriable reports whether a sidecar must repeat a call with this outcome. It must repeat
// deletions and revocations after every code.
func isRetriable(e journal.Event) bool {
	if e.Operation.Name == "DriverDeleteBucket" || e.Operation.Name == "DriverRevokeBucketAccess" {
		return true
	}
	return !slices.Contains([]string{"InvalidArgument", "AlreadyExists", "Unimplemented", "OutOfRange"}, e.Outcome)
}

// untilEnd says how long the run went on after an event.
func (s *search) untilEnd(e journal.Event) string {
	left := s.run.ended.Sub(e.Time.Add(e.Duration)).Round(time.Second / 10) //nolint:mnd // a tenth
	if left <= 0 {
		return ""
	}
	return fmt.Sprintf(", in the %s until the last step ended", left)
}

// next returns the next write or call of a component after an operation, in any incarnation.
func (s *search) next(e journal.Event) (journal.Event, bool) {
	for _, other := range s.events {
		if other.Component == e.Component && other.Time.After(e.Time) && isProgress(other) {
			return other, true
		}
	}
	return journal.Event{}, false
}

// unrepeatedByDriver is for an operation of the driver in its backend. The caller is to blame
// if it has not repeated the call of which the operation is a part. The driver is, if
// it had answered the call.
func (s *search) unrepeatedByDriver(e journal.Event, f fault.Status) (culprit, bool) {
	var call journal.Event
	for _, other := range s.events {
		p := Point{Seam: other.Seam, Operation: other.Operation.Name}
		if isDriverCall(other) && other.Operation.Subject == e.Operation.Subject && !p.reads() && other.Time.Before(e.Time) {
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

// shownNamed is the number of events that the text of a finding has.
const shownNamed = 2

// named returns the events that a standing oracle names. Those of a leak show only who made what
// is left.
func (s *search) named(findings []oracle.Finding) (culprit, bool) {
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
		if f.Oracle == vocabulary.Secret { // all others come from the first
			seen = seen[:1]
		}
		texts := make([]string, 0, shownNamed)
		for _, e := range seen[:min(len(seen), shownNamed)] {
			texts = append(texts, fmt.Sprintf("%s did %s -> %s", s.names(e.Component), s.names(e.Operation.String()), e.Outcome))
		}
		c := culprit{cause: s.cause(seen[0], f.Oracle+": "+normalized(f.Message)), text: strings.Join(texts, ", then "), seen: seen}
		if f.Message != findings[0].Message {
			c.text += fmt.Sprintf(" (%s: %s)", f.Oracle, f.Message)
		}
		return c, true
	}
	return culprit{}, false
}

// additional returns the first write, call or change of the backend after the fault that the
// clean run does not have.
func (s *search) additional([]oracle.Finding) (culprit, bool) {
	if len(s.faulted) == 0 {
		return culprit{}, false
	}
	for i, e := range s.events {
		if !changes(e) || e.Fault != "" || !s.afterFault(e) || len(s.inClean(e)) > 0 {
			continue
		}
		c := culprit{cause: s.cause(e, "additional"), seen: []journal.Event{e}}
		c.text = fmt.Sprintf("%s did %s -> %s, which the run without faults does not have",
			s.names(e.Component), s.names(e.Operation.String()), e.Outcome)
		if call, ok := s.within(e); ok {
			c.text += fmt.Sprintf(", in the %s %s", ordinal(len(s.alikeAtDriver(call, s.events[:i]))+1), s.names(call.Operation.String()))
			c.seen = []journal.Event{call, e}
		}
		return c, true
	}
	return culprit{}, false
}

// changes reports whether an event may change something in the API server or in the backend,
// by a component.
func changes(e journal.Event) bool {
	p := Point{Seam: e.Seam, Operation: e.Operation.Name}
	switch e.Seam {
	case journal.SeamStore:
		return e.Component != vocabulary.Store && !p.reads()
	case journal.SeamAPI, journal.SeamRPC:
		return isProgress(e) && !p.reads() && e.Component != vocabulary.Administrator
	default:
		return false
	}
}

// within returns the call that the driver was answering when it used its backend.
func (s *search) within(e journal.Event) (journal.Event, bool) {
	if e.Seam != journal.SeamStore {
		return journal.Event{}, false
	}
	for _, call := range slices.Backward(s.events) {
		if isDriverCall(call) && !call.Time.After(e.Time) && !call.Time.Add(call.Duration).Before(e.Time) {
			return call, true
		}
	}
	return journal.Event{}, false
}

// last returns the last write or call about the object of the first finding.
func (s *search) last(findings []oracle.Finding) (culprit, bool) {
	if len(findings) == 0 {
		return culprit{}, false
	}
	subject := findings[0].Subject
	for _, e := range slices.Backward(s.events) {
		if changes(e) && s.concerns(e, subject) {
			return culprit{
				text: fmt.Sprintf("the last write or call about %s is %s %s -> %s",
					subject, s.names(e.Component), s.names(e.Operation.String()), s.outcome(e)),
				seen: []journal.Event{e},
			}, true
		}
	}
	return culprit{}, false
}

// concerns reports whether an event is about the subject of a finding: KIND/NAME, "KIND
// NAME" as in a state, or a bucket or account of the backend.
func (s *search) concerns(e journal.Event, subject string) bool {
	about := s.names(e.Operation.Subject[strings.LastIndex(e.Operation.Subject, "/")+1:])
	_, resource, _ := strings.Cut(e.Operation.Name, " ")
	resource, _, _ = strings.Cut(resource, "/")
	kind := kindsOf[resource]
	switch {
	case about == "":
		return false
	case e.Seam == journal.SeamAPI:
		return kind != "" && (subject == kind+"/"+about || subject == kind+" "+about)
	default:
		return strings.HasSuffix(subject, " "+about) || strings.HasSuffix(subject, "/"+about)
	}
}

// cause names the bug that an event shows, without what differs between objects.
func (s *search) cause(e journal.Event, what string) string {
	return fmt.Sprintf("%s %s: %s", s.run.names.pattern(e.Component), e.Operation.Name, what)
}

func (s *search) names(text string) string { return s.run.names.in(text) }

// outcome renders the outcome of an event with its message.
func (s *search) outcome(e journal.Event) string {
	if e.Message == "" {
		return e.Outcome
	}
	return e.Outcome + ": " + s.names(e.Message)
}

func ordinal(n int) string {
	switch {
	case n%10 == 1 && n%100 != 11: //nolint:mnd // 1st, 21st
		return fmt.Sprintf("%dst", n)
	case n%10 == 2 && n%100 != 12: //nolint:mnd // 2nd
		return fmt.Sprintf("%dnd", n)
	case n%10 == 3 && n%100 != 13: //nolint:mnd // 3rd
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
