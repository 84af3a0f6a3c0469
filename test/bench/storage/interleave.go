package storage

import (
	"context"
	"fmt"

	"github.com/cosi-emu/cosi-emu/test/bench/figure"
)

// task is something that both of a pair do in turns.
type task[S any] struct {
	name string
	// bar is for the measured time, as a multiple of the baseline's; in milliseconds if the figure
	// is the time itself.
	bar float64
	// isTime is set if the figure is the time itself and not a ratio.
	isTime bool
	// operations is how many equal operations the task has, or 0.
	operations int
	do         func(context.Context, S) error
}

// figures times the tasks, one after another, each in turns.
func (p pair[S]) figures(ctx context.Context, rounds int, progress func(string), tasks ...task[S]) ([]figure.Figure, error) {
	var figures []figure.Figure
	for _, t := range tasks {
		progress(t.name)
		measured, baseline, err := p.times(ctx, rounds, t)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.name, err)
		}
		figures = append(figures, t.figure(measured, baseline))
	}
	return figures, nil
}

// times has a round before for practice.
func (p pair[S]) times(ctx context.Context, rounds int, t task[S]) (measured, baseline []figure.Cost, err error) {
	for n := range rounds + 1 {
		ours, err := figure.Measure(func() error { return t.do(ctx, p.measured) })
		if err != nil {
			return nil, nil, err
		}
		theirs, err := figure.Measure(func() error { return t.do(ctx, p.baseline) })
		if err != nil {
			return nil, nil, err
		}
		if n > 0 {
			measured, baseline = append(measured, ours), append(baseline, theirs)
		}
	}
	return measured, baseline, nil
}

func (t task[S]) figure(measured, baseline []figure.Cost) figure.Figure {
	ours, theirs := figure.Times(figure.AllElapsed(measured)), figure.Times(figure.AllElapsed(baseline))
	busy, theirBusy := figure.Times(figure.AllCPU(measured)).Median, figure.Times(figure.AllCPU(baseline)).Median
	notes := []string{fmt.Sprintf("%.1f ms of the processors against %.1f ms: %.2f x", busy, theirBusy, busy/theirBusy)}
	if t.operations > 0 {
		notes = append(notes, fmt.Sprintf("for each, client and server: %s; baseline: %s",
			figure.PerOperation(measured, t.operations), figure.PerOperation(baseline, t.operations)))
	}
	if !t.isTime {
		return figure.Ratio(t.name, t.bar, ours, theirs, notes...)
	}
	f := figure.New(t.name, ours.Median, figure.UnitMilliseconds, t.bar, notes...)
	f.Measured, f.Baseline = &ours, &theirs
	return f
}
