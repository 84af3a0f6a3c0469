package scale

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/emulator/bench/figure"
)

// tally is what a meter has counted.
type tally struct {
	requests  map[string]int // by operation
	calls     map[string]int // to the driver, by method
	conflicts int
}

func newTally() tally { return tally{requests: map[string]int{}, calls: map[string]int{}} }

// operation names a request, such as "patch buckets/status".
func operation(verb, resource, sub string) string {
	if sub != "" {
		resource += "/" + sub
	}
	return verb + " " + resource
}

func isWrite(verb string) bool {
	return slices.Contains([]string{"create", "update", "patch", "delete", "deletecollection"}, verb)
}

// isEvent reports whether an operation writes an Event. Events are for people,
// and are counted by themselves.
func isEvent(operation string) bool { return strings.HasSuffix(operation, " events") }

func (t tally) clone() tally {
	return tally{requests: maps.Clone(t.requests), calls: maps.Clone(t.calls), conflicts: t.conflicts}
}

// since returns what has been added to an earlier tally.
func (t tally) since(before tally) tally {
	return tally{
		requests: subtract(t.requests, before.requests), calls: subtract(t.calls, before.calls), conflicts: t.conflicts - before.conflicts,
	}
}

func subtract(counts, before map[string]int) map[string]int {
	difference := map[string]int{}
	for name, count := range counts {
		if count -= before[name]; count != 0 {
			difference[name] = count
		}
	}
	return difference
}

// plus returns the sum of two tallies.
func (t tally) plus(other tally) tally {
	sum := t.clone()
	for name, count := range other.requests {
		sum.requests[name] += count
	}
	for name, count := range other.calls {
		sum.calls[name] += count
	}
	sum.conflicts += other.conflicts
	return sum
}

// writes, events and reads are the parts of the requests. A watch is neither: it
// is made once for all objects.
func (t tally) writes() map[string]int {
	return pick(t.requests, func(o string) bool { return isWrite(verbOf(o)) && !isEvent(o) })
}

func (t tally) events() map[string]int {
	return pick(t.requests, func(o string) bool { return isWrite(verbOf(o)) && isEvent(o) })
}

func (t tally) reads() map[string]int {
	return pick(t.requests, func(o string) bool { return verbOf(o) == "get" || verbOf(o) == "list" })
}

func verbOf(operation string) string {
	verb, _, _ := strings.Cut(operation, " ")
	return verb
}

func pick(counts map[string]int, wanted func(string) bool) map[string]int {
	picked := map[string]int{}
	for name, count := range counts {
		if wanted(name) {
			picked[name] = count
		}
	}
	return picked
}

func total(counts map[string]int) (sum int) {
	for _, count := range counts {
		sum += count
	}
	return sum
}

// each renders counts for one of several objects, for people.
func each(counts map[string]int, objects int) string {
	if len(counts) == 0 {
		return "none"
	}
	parts := make([]string, 0, len(counts))
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%s %s", figure.Number(per(counts[name], objects)), name))
	}
	return strings.Join(parts, ", ")
}

func per(count, objects int) float64 { return float64(count) / float64(objects) }
