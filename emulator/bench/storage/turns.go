package storage

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/bench/figure"
	"github.com/cosi-emu/cosi-emu/fakedriver/store/workload"
)

// task is something that both do in turns.
type task struct {
	name string
	// bar is for the store's time, as a multiple of the baseline's; in
	// milliseconds if the figure is the time itself.
	bar float64
	// isTime says that the figure is the time of the store and not a ratio.
	isTime bool
	do     func(context.Context, *workload.Subject) error
}

// figures times the tasks, in turns, with one round before for practice.
func (p pair) figures(ctx context.Context, rounds int, progress func(string), tasks ...task) ([]figure.Figure, error) {
	var figures []figure.Figure
	for _, t := range tasks {
		measured, baseline, err := p.times(ctx, rounds, progress, t)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.name, err)
		}
		figures = append(figures, t.figure(figure.Times(measured), figure.Times(baseline)))
	}
	return figures, nil
}

func (p pair) times(ctx context.Context, rounds int, progress func(string), t task) (measured, baseline []time.Duration, err error) {
	for n := range rounds + 1 {
		progress(round(t.name, n, rounds+1))
		ours, err := timed(ctx, p.store, t)
		if err != nil {
			return nil, nil, err
		}
		theirs, err := timed(ctx, p.bare, t)
		if err != nil {
			return nil, nil, err
		}
		if n > 0 {
			measured, baseline = append(measured, ours), append(baseline, theirs)
		}
	}
	return measured, baseline, nil
}

// timed leaves what others have left to the garbage collector, before it begins.
func timed(ctx context.Context, s *workload.Subject, t task) (time.Duration, error) {
	runtime.GC()
	begin := time.Now()
	err := t.do(ctx, s)
	return time.Since(begin), err
}

func (t task) figure(measured, baseline figure.Spread) figure.Figure {
	if !t.isTime {
		return figure.Ratio(t.name, t.bar, measured, baseline)
	}
	f := figure.New(t.name, measured.Median, figure.UnitMilliseconds, t.bar)
	f.Measured, f.Baseline = &measured, &baseline
	return f
}
