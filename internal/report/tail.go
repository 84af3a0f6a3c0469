package report

import (
	"slices"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// Tail returns the last events of a scenario before its first failure, at most limit or
// DefaultTail, and the evidence of its failures, by their beginning, with the number of omitted
// events before them. Events after the failure belong to the clean-up.
func Tail(s Scenario, limit int) (tail []journal.Event, before int) {
	if limit <= 0 {
		limit = DefaultTail
	}
	named := evidence(s)
	end := len(s.Events)
	if i := slices.IndexFunc(s.Failures, func(f Failure) bool { return f.Step != nil }); i >= 0 {
		step := s.Steps[*s.Failures[i].Step]
		last := step.Started.Add(step.Duration)
		end = 0
		for i, e := range s.Events {
			if !e.Time.After(last) {
				end = i + 1
			}
		}
	}
	from := max(0, end-limit)
	for i, e := range s.Events {
		if i >= from && i < end || named[e.Seq] {
			tail = append(tail, e)
		}
	}
	slices.SortStableFunc(tail, func(a, b journal.Event) int { return a.Time.Compare(b.Time) })
	return tail, end - min(end, len(tail))
}

func evidence(s Scenario) map[uint64]bool {
	numbers := map[uint64]bool{}
	for _, f := range s.Failures {
		for _, number := range f.Events {
			numbers[number] = true
		}
	}
	return numbers
}
