package eventpattern

import (
	"fmt"
	"slices"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/glob"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

// Compare returns the first Mismatch between events and the patterns, or an empty one. A component may
// repeat an operation after the next one, unless the pattern has a count: how often it has by the time
// of the step depends on the machine.
func Compare(asked *spec.Events, patterns []Pattern, events []journal.Event) (Mismatch, error) {
	// Sort by start time: another component can see a change and act on it before
	// the answer arrives.
	slices.SortStableFunc(events, func(a, b journal.Event) int { return a.Time.Compare(b.Time) })
	counts, last := make([]int, len(patterns)), -1
	for _, e := range events {
		i, err := firstMatch(patterns, e)
		switch {
		case err != nil:
			return Mismatch{}, err
		case i >= 0 && i < last && !asked.AnyOrder && !patterns[i].mayRepeat(counts[i]):
			return Mismatch{Problem: fmt.Sprintf("expected event %q before %q, got it after", patterns[i], patterns[last])}, nil
		case i >= 0:
			counts[i]++
			last = max(last, i)
		case asked.Only && sameSeam(patterns, e):
			return Mismatch{Problem: "unexpected event: " + e.String()}, nil
		}
	}
	for i, p := range patterns {
		if !p.Count.Contains(counts[i]) {
			return p.miscounted(counts[i], events)
		}
	}
	return Mismatch{}, nil
}

// firstMatch returns the index of the first pattern that an event matches, or -1.
func firstMatch(patterns []Pattern, e journal.Event) (int, error) {
	for i, p := range patterns {
		if matched, err := p.Matches(e); matched || err != nil {
			return i, err
		}
	}
	return -1, nil
}

// mayRepeat reports whether an event that has occurred a number of times may occur again at any time.
func (p Pattern) mayRepeat(occurred int) bool { return occurred > 0 && !p.Count.IsGiven() }

// miscounted returns the Mismatch of a pattern if too few or too many events match.
func (p Pattern) miscounted(n int, events []journal.Event) (found Mismatch, err error) {
	found.Problem = fmt.Sprintf("expected %s %q, got %d", p.Count.Describe("event"), p, n)
	if found.Final = p.Count.Exceeded(n); !found.Final {
		found.nearest, found.differences, err = p.nearest(events)
	}
	return found, err
}

func sameSeam(patterns []Pattern, e journal.Event) bool {
	for _, p := range patterns {
		if p.seam == e.Seam && glob.Match(p.component, e.Component) {
			return true
		}
	}
	return false
}
