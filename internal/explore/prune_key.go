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

// Prune selects which operations count as equivalent.
type Prune string

// The equal parts. Fewer criteria leave fewer runs.
const (
	// PruneState: the operation, and all contents of Kubernetes and the backend.
	PruneState Prune = "state"
	// PruneObject: two consecutive operations of the component, the outcome of the first,
	// and the state of the object of the second.
	PruneObject Prune = "object"
	// PruneStep: two consecutive operations of the component, and the outcome of the first.
	PruneStep Prune = "step"
)

// Prunes returns all values of Prune.
func Prunes() []Prune { return []Prune{PruneState, PruneObject, PruneStep} }

// pruneKey is a point of a run with the state before it.
type pruneKey struct {
	point Point
	state string // hash: equal for equivalent states
}

type history struct {
	names   *names
	sandbox map[string]string // last known state, by object
	last    map[string]string // last operation, by component
}

// pruneKeys returns the keys of a run from after its faults to its end. The state consists
// of responses of the API server and the backend. The memory of components is not part of
// it.
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
		if e.Fault != "" && e.Fault != probe.Name && waiting > 0 {
			waiting--
		}
		before.remember(e, p)
	}
	return all
}

func (b *history) state(e journal.Event, p Point, same Prune) string {
	if same == PruneState {
		return hashOf(b.sandbox, b.names.in(p.alike().String()))
	}
	component, _, _ := strings.Cut(p.Component, ".") // without the driver
	step := []string{component, e.Operation.Name}
	if !p.event() { // watch events do not depend on the operations of the component
		step = append(step, b.last[e.Component])
	}
	if same == PruneObject {
		step = append(step, b.sandbox[b.object(e)])
	}
	return hashOf(nil, strings.Join(step, "\n"))
}

func (b *history) object(e journal.Event) string {
	subject := b.names.in(e.Operation.Subject)
	if e.Seam == journal.SeamStore {
		return "store " + subject
	}
	_, resource, _ := strings.Cut(e.Operation.Name, " ")
	resource, _, _ = strings.Cut(resource, "/")
	return resource + " " + subject
}

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
		_, _ = fmt.Fprintf(sum, "%s=%s\n", key, sandbox[key]) // writing to a hash never fails
	}
	_, _ = fmt.Fprint(sum, next)
	return hex.EncodeToString(sum.Sum(nil))
}
