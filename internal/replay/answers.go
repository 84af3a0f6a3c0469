package replay

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/eventscope"
	"github.com/cosi-emu/cosi-emu/internal/recording"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
	"github.com/cosi-emu/cosi-emu/internal/seam"
)

// answer is a recorded answer of a driver.
type answer struct {
	event journal.Event
	// request is the recorded request. In masked, the words that differ between runs are replaced; in named, UIDs are replaced by the
	// names of their objects.
	request, masked, named string
}

// answers are the recorded answers of a driver, for requests that come again with other UIDs and
// scopes. It is safe for concurrent use.
type answers struct {
	mu sync.Mutex
	// left has, for each recorded request, its remaining answers in order. The last answer
	// always stays.
	left map[string][]answer
	// order lists the keys of left in the order of their first answers.
	order []string
	// bound maps requests of this run to recorded requests.
	bound map[string]string
	// variable matches values that differ between runs.
	variable *regexp.Regexp
	// then and now are the names of the objects in the recording and in this run, by UID. later returns the events of this run after
	// a sequence number; last is the latest that was read.
	then, now map[string]string
	later     func(seq uint64) []journal.Event
	last      uint64
}

// newAnswers collects the answers that one sidecar received. The events of this run may be unknown: then later returns none.
func newAnswers(r *recording.Recording, sidecar string, later func(seq uint64) []journal.Event) *answers {
	a := &answers{
		left: map[string][]answer{}, bound: map[string]string{}, variable: varying(r.Namespace),
		then: map[string]string{}, now: map[string]string{}, later: later,
	}
	a.learn(a.then, r.Events)
	effects := effectsOf(r)
	for _, e := range r.Events {
		if e.Seam == journal.SeamRPC && e.Component == sidecar && e.Outcome != seam.OutcomeFenced {
			a.add(e, effects(e))
		}
	}
	return a
}

// add adds the driver's answers to the calls that an event consists of.
func (a *answers) add(e journal.Event, effect *fault.Effect) {
	calls := 1
	switch {
	case effect != nil && effect.Duplicate: // the first answer is not recorded
		calls = 2
	case e.Fault != "" && len(e.Response) == 0 && !isError(effect):
		return // the driver did not get the call
	}
	request := string(e.Request)
	key := e.Operation.Name + " " + request
	if len(a.left[key]) == 0 {
		a.order = append(a.order, key)
	}
	given := answer{event: e, request: request, masked: a.masked(request), named: a.named(request, a.then)}
	a.left[key] = append(a.left[key], slices.Repeat([]answer{given}, calls)...)
}

// isError reports whether a call without a response has the driver's error: its fault affects only
// how long the call takes, or the response. Nil is an unknown fault.
func isError(e *fault.Effect) bool {
	return e != nil && e.Fail == "" && !e.Hang && e.Crash == "" && e.Outage == "" && e.LoseLease == 0
}

// effectsOf returns a function that returns the effect of the fault on an event, or nil if the
// recording does not have the fault.
func effectsOf(r *recording.Recording) func(journal.Event) *fault.Effect {
	all := map[string]*fault.Effect{}
	if s, err := Scenario(r); err == nil {
		for name, f := range spec.Faults(s.Steps) {
			all[name+"."+r.Namespace] = &f.Effect
		}
	}
	for _, injection := range r.Faults {
		all[injection.Fault.Name] = &injection.Fault.Effect
	}
	return func(e journal.Event) *fault.Effect { return all[e.Fault] }
}

// varying matches values that differ between runs: UIDs, and scopes, which end with a number.
func varying(scope string) *regexp.Regexp {
	prefix := strings.TrimRight(scope, "0123456789")
	if prefix == "" {
		return eventscope.UID
	}
	return regexp.MustCompile(eventscope.UID.String() + "|" + regexp.QuoteMeta(prefix) + `[0-9]+`)
}

// learn adds the names of objects in responses of the API server, without words that differ between runs.
func (a *answers) learn(names map[string]string, events []journal.Event) {
	for object := range eventscope.Objects(events) {
		names[object.Metadata.UID] = a.masked("<" + object.Kind + " " + object.Metadata.Namespace + "/" + object.Metadata.Name + ">")
	}
}

func (a *answers) masked(text string) string { return a.variable.ReplaceAllString(text, "<>") }

func (a *answers) named(text string, names map[string]string) string {
	return a.variable.ReplaceAllStringFunc(text, func(found string) string { return cmp.Or(names[found], "<>") })
}

// to finds the answer to a request: the next one recorded for the same request. A new
// request maps to the earliest recorded request that has no match yet and is for objects of the same names,
// or else differs only in UIDs. The words are pairs of a text in the recorded answer and its replacement.
func (a *answers) to(method, request string) (found answer, words []string, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	asked := method + " " + request
	key, known := a.bound[asked]
	if !known {
		if key, known = a.unmatched(method, request); !known {
			return answer{}, nil, false
		}
		a.bound[asked] = key
	}
	all := a.left[key]
	found = all[0]
	if len(all) > 1 {
		a.left[key] = all[1:]
	}
	return found, a.pairs(found.request, request), true
}

// unmatched returns the recorded request that a new request maps to.
func (a *answers) unmatched(method, request string) (string, bool) {
	taken := map[string]bool{}
	for _, key := range a.bound {
		taken[key] = true
	}
	events := a.later(a.last)
	if len(events) > 0 {
		a.last = events[len(events)-1].Seq
	}
	a.learn(a.now, events)
	named, masked := a.named(request, a.now), a.masked(request)
	for _, fits := range []func(answer) bool{
		func(recorded answer) bool { return recorded.named == named },
		func(recorded answer) bool { return recorded.masked == masked },
	} {
		for _, key := range a.order {
			if recorded := a.left[key][0]; !taken[key] && recorded.event.Operation.Name == method && fits(recorded) {
				return key, true
			}
		}
	}
	return "", false
}

// pairs returns the texts that differ between two requests: each recorded one, and its
// replacement.
func (a *answers) pairs(recorded, now string) []string {
	were, are := a.variable.FindAllString(recorded, -1), a.variable.FindAllString(now, -1)
	var words []string
	for i := range min(len(were), len(are)) {
		words = append(words, were[i], are[i])
	}
	return words
}

func (a answer) body(words []string) json.RawMessage {
	if len(a.event.Response) == 0 {
		return json.RawMessage("{}")
	}
	return json.RawMessage(strings.NewReplacer(words...).Replace(string(a.event.Response)))
}

// failed reports whether the driver returned an error. If a fault withheld the answer from the
// sidecar, the driver did answer.
func (a answer) failed() bool { return a.event.Failed() && len(a.event.Response) == 0 }
