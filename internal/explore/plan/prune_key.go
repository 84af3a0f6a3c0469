package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/explore/run"
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

// PruneKey is a point of a run with the state before it.
type PruneKey struct {
	Point run.Point
	State string // hash: equal for equivalent states
}

type history struct {
	names   *run.Names
	sandbox map[string]string // last known state, by object
	last    map[string]string // last operation, by component
}

// PruneKeys returns the keys of a run from after its faults to its end. The state consists
// of responses of the API server and the backend. The memory of components is not part of
// it.
func PruneKeys(o *run.Record, same Prune) []PruneKey {
	before := history{names: o.Names, sandbox: map[string]string{}, last: map[string]string{}}
	waiting := len(o.Faults)
	if waiting > 0 && o.Faults[0].Name == run.Probe.Name {
		waiting = 0
	}
	var all []PruneKey
	for e, p := range run.Numbered(o.Open(), o.Names) {
		state := before.state(e, p.Alike(), same)
		if waiting == 0 {
			all = append(all, PruneKey{p, state})
		}
		if run.HasFault(e) && waiting > 0 {
			waiting--
		}
		before.remember(e, p)
	}
	return all
}

func (h *history) state(e journal.Event, p run.Point, same Prune) string {
	if same == PruneState {
		return hashOf(h.sandbox, h.names.In(p.Alike().String()))
	}
	component, _, _ := strings.Cut(p.Component, ".") // without the driver
	step := []string{component, e.Operation.Name}
	if !p.Event() { // watch events do not depend on the operations of the component
		step = append(step, h.last[e.Component])
	}
	if same == PruneObject {
		step = append(step, h.sandbox[h.object(e)])
	}
	return hashOf(nil, strings.Join(step, "\n"))
}

func (h *history) object(e journal.Event) string {
	subject := h.names.In(e.Operation.Subject)
	if e.Seam == journal.SeamStore {
		return "store " + subject
	}
	_, resource, _ := strings.Cut(e.Operation.Name, " ")
	resource, _, _ = strings.Cut(resource, "/")
	return resource + " " + subject
}

func (h *history) remember(e journal.Event, p run.Point) {
	if !p.Event() {
		h.last[e.Component] = e.Operation.Name + " " + e.Outcome
	}
	if e.Failed() {
		return
	}
	verb, _, _ := strings.Cut(e.Operation.Name, " ")
	key := h.object(e)
	switch {
	case e.Seam == journal.SeamStore:
		h.sandbox[key] = e.Operation.Name
	case e.Seam != journal.SeamAPI || len(e.Response) == 0 || strings.HasPrefix(key, "events "):
	case verb == "delete":
		h.sandbox[key] += " deleted"
	default:
		var object any
		if json.Unmarshal([]byte(h.names.In(string(e.Response))), &object) == nil {
			h.sandbox[key] = run.ShortText(run.Stable(object))
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
