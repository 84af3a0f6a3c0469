package explore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/scenarios/document"
	"github.com/cosi-emu/cosi-emu/scenarios/engine"
)

// ErrUnclean is the error of a scenario that does not pass without any fault: there
// is nothing to compare with.
var ErrUnclean = errors.New("the scenario does not pass without a fault")

// Explore runs a scenario with every fault, and reports what it has found. If the
// context ends, the runs that were done are reported with the error.
func Explore(ctx context.Context, opts Options) (*Report, error) {
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	scenario, err := load(opts.File, opts.Text)
	if err != nil {
		return nil, err
	}
	e := &explorer{options: opts, scenario: scenario, seen: map[string]bool{}, report: Report{Scenario: scenario.Name, Worlds: opts.Worlds}}
	if e.done, err = openState(opts); err != nil {
		return nil, err
	}
	err = e.explore(ctx)
	return &e.report, errors.Join(err, e.done.close())
}

// explorer is an exploration that goes on.
type explorer struct {
	options  Options
	scenario *document.Scenario
	pool     *pool
	done     *stateFile
	deadline time.Time // when no more runs are begun; zero if there is none

	clean  *observation
	trials []Trial
	seen   map[string]bool // situations in which something was tried
	pairs  []Case
	found  []outcome // runs with findings
	report Report
}

// explore is the list of what happens.
func (e *explorer) explore(ctx context.Context) (err error) {
	e.options.Progress(Progress{Phase: "starting"})
	e.pool = newPool(e.options)
	defer func() { err = errors.Join(err, e.pool.stop(context.WithoutCancel(ctx))) }()
	if err := e.runClean(ctx); err != nil {
		return err
	}
	if e.options.MeasureSeams {
		if err := e.measureSeams(ctx); err != nil {
			return err
		}
	}
	if e.options.Budget > 0 {
		e.deadline = time.Now().Add(e.options.Budget)
	}
	if err := e.explorePoints(ctx); err != nil {
		return err
	}
	e.report.Findings = group(append(e.done.old, e.found...))
	if e.options.Shrink {
		return e.shrinkAll(ctx)
	}
	return nil
}

// explorePoints runs all cases, one kind after the other.
func (e *explorer) explorePoints(ctx context.Context) error {
	begin := time.Now()
	defer func() { e.report.Duration += time.Since(begin) }()
	cases := make([]Case, len(e.trials))
	for i, t := range e.trials {
		cases[i] = Case{t}
	}
	if err := e.runAll(ctx, "single faults", cases, e.options.Pairs); err != nil {
		return err
	}
	if e.options.Pairs {
		if err := e.runAll(ctx, "pairs", e.pairs, false); err != nil {
			return err
		}
	}
	return e.runAll(ctx, "random faults", draw(e.trials, e.options.Random, e.options.Seed), false)
}

// probe has the events of watches recorded, and does nothing to them.
var probe = fault.Fault{
	Name: "probe", Match: fault.Match{Seam: journal.SeamAPI, Operation: fault.EventPrefix + "*"}, Effect: fault.Effect{Delay: 1},
}

// runClean finds what the scenario does without a fault: once to warm up, and once
// to be compared with.
func (e *explorer) runClean(ctx context.Context) error {
	w, err := e.pool.take(ctx)
	if err != nil {
		return err
	}
	defer func() { e.pool.give(w) }()
	for range 2 {
		o := w.run(ctx, e.scenario, []fault.Fault{probe}, nil)
		if err := uncleanness(o); err != nil {
			return err
		}
		if _, err := w.clean(ctx, o); err != nil {
			return err
		}
		e.clean = o
	}
	points := pointsOf(e.clean.events, e.clean.names)
	e.trials = timings.trials(points, e.options.Kinds, e.options.At)
	e.report.Points, e.report.Applicable, e.report.Clean = len(points), len(e.trials), e.clean.steps
	e.rememberStates(e.clean)
	return nil
}

func uncleanness(o *observation) error {
	if o.err != nil {
		return o.err
	}
	if o.result.Outcome != engine.Passed {
		return fmt.Errorf("%w: %v", ErrUnclean, o.result.Failures)
	}
	if found := judge(o, o); len(found) > 0 {
		return fmt.Errorf("%w: %v", ErrUnclean, found)
	}
	return nil
}
