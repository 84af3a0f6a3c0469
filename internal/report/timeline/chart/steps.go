package chart

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/report"
	"github.com/cosi-emu/cosi-emu/internal/report/timeline/format"
)

// userMarks draws the steps, and the time before the first and after the last, and returns the
// number of rows.
func (p *plotter) userMarks(drawn *lane, y int) int {
	marks := make([]mark, 0, len(p.s.Steps)+2)
	all := make([]report.Step, 0, len(p.s.Steps)+2)
	for i, step := range p.s.Steps {
		name := StepName(step)
		marks = append(marks, mark{
			Target: fmt.Sprintf("%s-p%d", p.id, i), Class: "mark step " + string(step.Outcome), Label: fmt.Sprintf("%d %s", i+1, name),
			Title: fmt.Sprintf("step %d, %s, %s: %s in %s", i+1, name, format.Place(step.Position), step.Outcome, format.Span(step.Duration)),
		})
		all = append(all, step)
	}
	for _, step := range phases(p.s) {
		marks = append(marks, mark{Class: "phase", Label: step.Verb, Title: step.Verb + ", " + format.Span(step.Duration)})
		all = append(all, step)
	}
	items := make([]*item, len(all))
	for i, step := range all {
		begin := p.since(step.Started)
		items[i] = &item{from: p.pixels(begin), to: p.pixels(begin + lasting(step.Duration)), label: marks[i].Label}
	}
	inOrder := slices.Clone(items)
	slices.SortStableFunc(inOrder, func(a, b *item) int { return cmp.Compare(a.from, b.from) })
	rows := pack(inOrder, maxRows)
	for i, step := range all {
		m := p.mark(p.since(step.Started), step.Duration, items[i], y)
		m.Target, m.Class, m.Title = marks[i].Target, marks[i].Class, marks[i].Title
		drawn.Marks = append(drawn.Marks, m)
	}
	return max(rows, 1)
}

// StepName returns the name of a step, or else its verb.
func StepName(s report.Step) string { return cmp.Or(s.Name, s.Verb) }

// minPhase is the shortest phase with a mark.
const minPhase = time.Millisecond

// phases are the engine's activities before the first step and after the last.
func phases(s report.Scenario) []report.Step {
	if len(s.Steps) == 0 || s.Outcome == "" { // it has not ended
		return nil
	}
	first, last := s.Steps[0].Started, s.Started
	for _, step := range s.Steps {
		if end := step.Started.Add(step.Duration); end.After(last) {
			last = end
		}
	}
	return slices.DeleteFunc([]report.Step{
		{Verb: "set-up", Started: s.Started, Duration: first.Sub(s.Started)},
		{Verb: "clean-up", Started: last, Duration: s.Started.Add(s.Duration).Sub(last)},
	}, func(phase report.Step) bool { return phase.Duration < minPhase })
}
