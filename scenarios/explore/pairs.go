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

// situation is a point of a run together with how things were before it.
type situation struct {
	point Point
	state string // the same for what is the same
}

// situations returns those of a run that come after its faults, and before its end; all
// of one without any. How things are is told by what the API server and the backend have answered;
// what components have in memory is not seen.
func situations(o *observation) []situation {
	world := map[string]string{}
	counts := map[Point]int{}
	waiting := len(o.faults)
	if waiting > 0 && o.faults[0].Name == probe.Name {
		waiting = 0
	}
	var all []situation
	for _, e := range o.open() {
		p, ok := pointOf(e, o.names)
		if !ok {
			continue
		}
		counts[p]++
		state := digest(world, o.names.in(p.alike().String()))
		p.Nth = counts[p]
		if waiting == 0 {
			all = append(all, situation{p, state})
		}
		if e.Fault != "" && waiting > 0 {
			waiting--
		}
		remember(world, e, o.names)
	}
	return all
}

// remember notes what an event says about how things are.
func remember(world map[string]string, e journal.Event, n *names) {
	if e.Failed() {
		return
	}
	verb, resource, _ := strings.Cut(e.Operation.Name, " ")
	resource, _, _ = strings.Cut(resource, "/")
	key := resource + " " + n.in(e.Operation.Subject)
	switch {
	case e.Seam == journal.SeamStore:
		world["store "+n.in(e.Operation.Subject)] = e.Operation.Name
	case e.Seam != journal.SeamAPI || len(e.Response) == 0 || resource == "events":
	case verb == "delete":
		world[key] += " deleted"
	default:
		var object any
		if json.Unmarshal([]byte(n.in(string(e.Response))), &object) == nil {
			world[key] = brief(lasting(object))
		}
	}
}

func digest(world map[string]string, next string) string {
	sum := sha256.New()
	for _, key := range slices.Sorted(maps.Keys(world)) {
		_, _ = fmt.Fprintf(sum, "%s=%s\n", key, world[key]) // a hash takes everything
	}
	_, _ = fmt.Fprint(sum, next)
	return hex.EncodeToString(sum.Sum(nil))
}

// rememberStates notes that everything was tried in every situation of the run.
func (e *explorer) rememberStates(o *observation) {
	for _, s := range situations(o) {
		for _, t := range e.trialsAt(s.point) {
			e.seen[s.state+string(t.Kind)] = true
		}
	}
}

// pair makes cases of two faults: the one of a run, and one more at each situation
// behind it that was not seen before.
func (e *explorer) pair(result outcome) {
	for _, s := range situations(result.observed) {
		for _, t := range e.trialsAt(s.point) {
			key := s.state + string(t.Kind)
			if e.seen[key] {
				e.report.Pruned++
				continue
			}
			e.seen[key] = true
			e.pairs = append(e.pairs, append(slices.Clone(result.Case), t))
		}
	}
}
