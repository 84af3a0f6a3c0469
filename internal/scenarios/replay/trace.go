package replay

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/emulator/seam"
)

// Trace is what a run did, in a form in which runs can be compared: for each
// thread, the acts in their order. A thread is what one component calls the driver
// about one bucket or account, or one kind of its writes to one object.
type Trace struct {
	threads map[string][]step
}

// step is something that a component did: a write to the API server, a call to the
// driver, a step of the driver in its store.
type step struct {
	event journal.Event
	// text is the act without what differs from run to run.
	text string
}

// NewTrace returns the trace of a run, whose scope is the word that its names have.
// Reads and watches are left out: how often a component looks is its own affair.
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

// isCompared reports whether an event is one that counts.
func isCompared(e journal.Event) bool {
	if e.Outcome == seam.OutcomeFenced && e.Fault == "" {
		return false // what a crash cut off is a matter of moments
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

// races are the outcomes of writes that came too late.
var races = []string{"Conflict", "NotFound", "AlreadyExists"}

// repeats reports whether the last act was the same. How often a status is written,
// or a call repeated that failed, depends on how soon news of others arrive.
func repeats(acts []step, text string) bool { return len(acts) > 0 && acts[len(acts)-1].text == text }

// step returns the thread that an event is part of, and what it is there; an empty
// thread if it is not compared.
func (n *normalizer) step(e journal.Event) (thread, text string) {
	if !isCompared(e) {
		return "", ""
	}
	subject := n.normalize(e.Operation.Subject)
	component := n.normalize(e.Component)
	if e.Seam != journal.SeamProcess && subject == e.Operation.Subject {
		return "", "" // nothing in it is the scenario's
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

// kindOf tells kinds of writes apart: of a component whose parts do not wait for
// each other, each kind has an order of its own.
func (n *normalizer) kindOf(e journal.Event) string {
	if e.Seam != journal.SeamAPI {
		return ""
	}
	return n.normalize(e.Operation.Name)
}

// Divergence is the first place where a replay did something else than what was
// recorded.
type Divergence struct {
	// Thread is the component, the seam and the object.
	Thread string `json:"thread"`
	// Recorded is what was done there in the recording, and Replayed in the
	// replay; empty if nothing was.
	Recorded string `json:"recorded"`
	Replayed string `json:"replayed"`
	// Before is what both had done last.
	Before string `json:"before,omitempty"`
	// Event is the recorded event, or, where nothing was recorded, the replayed
	// one.
	Event journal.Event `json:"event"`
}

// String says it in a few lines.
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

// Diff finds where two traces differ first, by the clock of the recorded one;
// what was done only in the replay comes after all else. It returns nil if they
// are the same.
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

// earlier reports whether one divergence comes before another.
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

// Len returns how many acts the trace has.
func (t Trace) Len() int {
	total := 0
	for _, acts := range t.threads {
		total += len(acts)
	}
	return total
}
