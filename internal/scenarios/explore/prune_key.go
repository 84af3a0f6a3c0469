package explore

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// Prune says what is taken for the same situation, in which nothing is tried again.
type Prune string

// What has to be the same. Less leaves fewer runs.
const (
	// PruneState: everything that Kubernetes and the backend hold, and the operation.
	PruneState Prune = "state"
	// PruneObject: what the object of the operation is like, and the last two operations
	// of the component with their outcome.
	PruneObject Prune = "object"
	// PruneStep: the last two operations of the component with their outcome.
	PruneStep Prune = "step"
)

// Prunes are all.
func Prunes() []Prune { return []Prune{PruneState, PruneObject, PruneStep} }

// pruneKey is a point of a run together with how things were before it.
type pruneKey struct {
	point Point
	state string // the same for what is the same
}

// history is what has happened before a point.
type history struct {
	names   *names
	sandbox map[string]string // what there is, by what it is of
	last    map[string]string // what each component has done last
}

// pruneKeys returns those of a run that come after its faults, and before its end; all
// of one without any. How things are is told by what the API server and the backend
// have answered; what components have in memory is not seen.
func pruneKeys(o *runResult, same Prune) []pruneKey {
	before := history{names: o.names, sandbox: map[string]string{}, last: map[string]string{}}
	counts := map[Point]int{}
	waiting := len(o.faults)
	if waiting > 0 && o.faults[0].Name == probe.Name {
		waiting = 0
	}
	var all []pruneKey
	for _, e := range o.open() {
		p, ok := pointOf(e, o.names)
		if !ok {
			continue
		}
		counts[p]++
		state := before.state(e, p, same)
		p.Nth = counts[p]
		if waiting == 0 {
			all = append(all, pruneKey{p, state})
		}
		if e.Fault != "" && waiting > 0 {
			waiting--
		}
		before.remember(e, p)
	}
	return all
}

// state is the situation in which an event has begun.
func (b *history) state(e journal.Event, p Point, same Prune) string {
	if same == PruneState {
		return hashOf(b.sandbox, b.names.in(p.alike().String()))
	}
	component, _, _ := strings.Cut(p.Component, ".") // whichever driver it is of
	step := []string{component, e.Operation.Name}
	if !p.event() { // a watch tells it whatever the component does
		step = append(step, b.last[e.Component])
	}
	if same == PruneObject {
		step = append(step, b.sandbox[b.object(e)])
	}
	return hashOf(nil, strings.Join(step, "\n"))
}

// object names what an event is about.
func (b *history) object(e journal.Event) string {
	subject := b.names.in(e.Operation.Subject)
	if e.Seam == journal.SeamStore {
		return "store " + subject
	}
	_, resource, _ := strings.Cut(e.Operation.Name, " ")
	resource, _, _ = strings.Cut(resource, "/")
	return resource + " " + subject
}

// remember notes what an event says about how things are, and what has been done.
func (b *history) remember(e journal.Event, p Point) {
	if !p.event() {
		b.last[e.Component] = e.Operation.Name + " " + e.Outcome
	}
	if e.Failed() {
		return
	}
	verb, _, _ := strings.Cut(e.Operation.Name, " ")
	key := b.object(e)
	switch {
	case e.Seam == journal.SeamStore:
		b.sandbox[key] = e.Operation.Name
	case e.Seam != journal.SeamAPI || len(e.Response) == 0 || strings.HasPrefix(key, "events "):
	case verb == "delete":
		b.sandbox[key] += " deleted"
	default:
		var object any
		if json.Unmarshal([]byte(b.names.in(string(e.Response))), &object) == nil {
			b.sandbox[key] = shortText(withoutVolatile(object))
		}
	}
}

func hashOf(sandbox map[string]string, next string) string {
	sum := sha256.New()
	for _, key := range slices.Sorted(maps.Keys(sandbox)) {
		_, _ = fmt.Fprintf(sum, "%s=%s\n", key, sandbox[key]) // a hash takes everything
	}
	_, _ = fmt.Fprint(sum, next)
	return hex.EncodeToString(sum.Sum(nil))
}
