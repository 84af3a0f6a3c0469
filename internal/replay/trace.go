package replay

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/seam"
)

// Trace has the operations of a run in a form that can be compared with another run:
// threads, each with its steps in order. A thread is one component's calls for one
// bucket or account, or its writes of one kind to one object.
type Trace struct {
	threads map[string][]step
}

// step is an operation of a component: a write to the API server, a call to the
// driver, or an operation of the driver in its store.
type step struct {
	event journal.Event
	// text is the operation without values that differ between runs.
	text string
}

// NewTrace returns the trace of a run with that scope. Reads and watches are omitted,
// because their number depends on timing.
func NewTrace(scope string, events []journal.Event) Trace {
	n := newNormalizer(scope, events)
	t := Trace{threads: map[string][]step{}}
	for _, e := range events {
		thread, text := n.step(e)
		if acts := t.threads[thread]; thread != "" && !repeats(acts, text) {
			t.threads[thread] = append(acts, step{e, text})
		}
	}
	return t
}

func isCompared(e journal.Event) bool {
	if e.Outcome == seam.OutcomeFenced && e.Fault == "" {
		return false // whether a crash interrupts a request depends on timing
	}
	switch e.Seam {
	case journal.SeamRPC:
		return true
	case journal.SeamStore:
		return strings.HasPrefix(e.Operation.Name, "Admin")
	case journal.SeamProcess:
		return e.Operation.Name == "crash" || e.Operation.Name == "fail"
	default:
		return e.Write() && isComparedWrite(e)
	}
}

// isComparedWrite excludes Kubernetes Events and Leases, and writes that failed because
// another write was faster.
func isComparedWrite(e journal.Event) bool {
	toPeople := strings.HasSuffix(e.Operation.Name, " events") || strings.Contains(e.Operation.Name, " leases")
	return !toPeople && (e.Fault != "" || !slices.Contains(races, e.Outcome))
}

// races are the outcomes of writes that lost against another writer.
var races = []string{"Conflict", "NotFound", "AlreadyExists"}

// repeats reports whether the last step was the same. The number of equal status writes, or of
// retries of a failed call, depends on when events arrive.
func repeats(acts []step, text string) bool { return len(acts) > 0 && acts[len(acts)-1].text == text }

// step returns an event's thread and text. The thread is empty if the event is not
// compared.
func (n *normalizer) step(e journal.Event) (thread, text string) {
	if !isCompared(e) {
		return "", ""
	}
	subject := n.normalize(e.Operation.Subject)
	component := n.normalize(e.Component)
	if e.Seam != journal.SeamProcess && subject == e.Operation.Subject {
		return "", "" // nothing in it belongs to the scenario
	}
	text = fmt.Sprintf("%s %s -> %s", n.normalize(e.Operation.Name), subject, e.Outcome)
	if e.Fault != "" {
		text += fmt.Sprintf(" [fault: %s]", n.normalize(e.Fault))
	}
	if e.Seam == journal.SeamRPC {
		text += " " + n.normalize(string(e.Request))
	}
	return strings.Join([]string{component, string(e.Seam), n.kindOf(e), subject}, " "), text
}

// kindOf returns the kind of a write. Parts of a component that do not wait for each
// other make different kinds of writes, so each kind has its own order.
func (n *normalizer) kindOf(e journal.Event) string {
	if e.Seam != journal.SeamAPI {
		return ""
	}
	return n.normalize(e.Operation.Name)
}

// Divergence is the first difference between a replay and its recording.
type Divergence struct {
	// Thread is the component, the seam and the object.
	Thread string `json:"thread"`
	// Recorded is the recorded operation, and Replayed the replayed one; empty if there was none.
	Recorded string `json:"recorded"`
	Replayed string `json:"replayed"`
	// Before is the last operation that is equal in both.
	Before string `json:"before,omitempty"`
	// Event is the recorded event or, if there is none, the replayed one.
	Event journal.Event `json:"event"`
}

// String renders the difference in a few lines.
func (d *Divergence) String() string {
	orNothing := func(text string) string {
		if text == "" {
			return "nothing"
		}
		return text
	}
	return fmt.Sprintf("%s\n  after     %s\n  recorded  %s\n  replayed  %s",
		strings.Join(strings.Fields(d.Thread), " "), orNothing(d.Before), orNothing(d.Recorded), orNothing(d.Replayed))
}

// Diff returns the first difference of two traces in the order of recorded time. Operations that
// only the replay has come last. It returns nil if the traces are equal.
func Diff(recorded, replayed Trace) *Divergence {
	var first *Divergence
	for thread, acts := range recorded.threads {
		if d := diffThread(thread, acts, replayed.threads[thread]); d != nil && (first == nil || earlier(d, first)) {
			first = d
		}
	}
	if first != nil {
		return first
	}
	for thread, acts := range replayed.threads {
		if _, known := recorded.threads[thread]; known {
			continue
		}
		if d := diffThread(thread, nil, acts); first == nil || earlier(d, first) {
			first = d
		}
	}
	return first
}

func earlier(a, b *Divergence) bool {
	if a.Recorded == "" != (b.Recorded == "") {
		return a.Recorded != ""
	}
	return a.Event.Seq < b.Event.Seq
}

func diffThread(thread string, recorded, replayed []step) *Divergence {
	before := ""
	for i, was := range recorded {
		if i < len(replayed) && replayed[i].text == was.text {
			before = was.text
			continue
		}
		d := &Divergence{Thread: thread, Recorded: was.text, Before: before, Event: was.event}
		if i < len(replayed) {
			d.Replayed = replayed[i].text
		}
		return d
	}
	if len(replayed) == len(recorded) {
		return nil
	}
	extra := replayed[len(recorded)]
	return &Divergence{Thread: thread, Replayed: extra.text, Before: before, Event: extra.event}
}

// Steps returns the steps of all threads, without their order.
func (t Trace) Steps() []string {
	var all []string
	for thread, acts := range t.threads {
		for _, act := range acts {
			all = append(all, thread+": "+act.text)
		}
	}
	return all
}

// Len returns the number of steps in the trace.
func (t Trace) Len() int {
	total := 0
	for _, acts := range t.threads {
		total += len(acts)
	}
	return total
}
