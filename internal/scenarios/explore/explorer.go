package explore

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/scenarios/engine"
	"github.com/cosi-emu/cosi-emu/internal/scenarios/spec"
)

// ErrUnclean is the error of a scenario whose steps do not pass without any fault: there
// is nothing to compare with.
var ErrUnclean = errors.New("the scenario fails without faults")

// Explore runs a scenario with every fault, and reports what it has found. If the
// context ends, the runs that were done are reported with the error.
func Explore(ctx context.Context, opts Options) (report *Report, err error) {
	if opts, err = opts.withDefaults(); err != nil {
		return nil, err
	}
	scenario, err := load(opts.File, opts.Text)
	if err != nil {
		return nil, err
	}
	e := &explorer{
		options: opts, scenario: scenario, shared: opts.shared, seen: map[string]bool{},
		report: Report{Scenario: scenario.Name, Sandboxes: opts.Sandboxes},
	}
	if e.done, err = openState(opts); err != nil {
		return nil, err
	}
	if e.shared == nil { // it is the only one
		e.shared = &sharedState{pool: newPool(opts), tried: map[string]bool{}, ends: opts.ends()}
		defer func() { err = errors.Join(err, e.shared.pool.stop(context.WithoutCancel(ctx))) }()
	}
	err = e.explore(ctx)
	return &e.report, errors.Join(err, e.done.close())
}

// explorer is an exploration that goes on.
type explorer struct {
	options  Options
	scenario *spec.Scenario
	shared   *sharedState
	done     *stateFile

	clean  *runResult
	trials []Trial
	seen   map[string]bool // situations in which something was tried
	pairs  []Case
	found  []caseResult // runs with findings
	report Report
}

// explore is the list of what happens.
func (e *explorer) explore(ctx context.Context) error {
	e.options.Progress(Progress{Phase: "starting"})
	if err := e.runClean(ctx); err != nil {
		return err
	}
	if len(e.found) > 0 { // it is wrong by itself, so there is nothing to compare with
		return e.finish(ctx, e.found)
	}
	if e.options.MeasureSeams {
		if err := e.measureSeams(ctx); err != nil {
			return err
		}
	}
	if err := e.explorePoints(ctx); err != nil {
		return err
	}
	return e.finish(ctx, append(e.done.old, e.found...))
}

// finish reports what was found.
func (e *explorer) finish(ctx context.Context, found []caseResult) error {
	e.report.Findings = group(found)
	if err := e.confirmAll(ctx); err != nil {
		return err
	}
	if e.options.Shrink {
		return e.shrinkAll(ctx)
	}
	return nil
}

// explorePoints runs all cases, one kind after the other.
func (e *explorer) explorePoints(ctx context.Context) error {
	begin := time.Now()
	defer func() { e.report.Duration += time.Since(begin) }()
	trials := e.untried()
	cases := make([]Case, len(trials))
	for i, t := range trials {
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
	return e.runAll(ctx, "random faults", randomCases(e.trials, e.options.Random, e.options.Seed), false)
}

// probe has the events of watches recorded, and does nothing to them.
var probe = fault.Fault{
	Name: "probe", Match: fault.Match{Seam: journal.SeamAPI, Operation: journal.EventPrefix + "*"}, Effect: fault.Effect{Delay: 1},
}

// runClean finds what the scenario does without a fault: once to warm up, and once
// to be compared with. If that is wrong already, it is the only thing that is found.
func (e *explorer) runClean(ctx context.Context) error {
	err := e.shared.pool.lend(ctx, func(w *sandbox) (_ *sandbox, err error) {
		for range 2 {
			if w, err = e.runOnce(ctx, w); err != nil || len(e.found) > 0 {
				break
			}
		}
		return w, err
	})
	if err != nil || len(e.found) > 0 {
		return err
	}
	points := pointsOf(e.clean.open(), e.clean.names)
	e.trials = e.trialsAt(points...)
	e.report.Points, e.report.Applicable = len(points), len(e.trials)
	e.rememberStates(e.clean)
	return nil
}

// trialsAt are what can go wrong at points, as far as it is asked for.
func (e *explorer) trialsAt(points ...Point) []Trial {
	return timingOf(e.options.Emulator.RPCTimeout).trials(points, e.options.Kinds, e.options.At)
}

// runOnce runs the scenario without a fault. If it is wrong by itself, that is found.
func (e *explorer) runOnce(ctx context.Context, w *sandbox) (*sandbox, error) {
	o := w.run(ctx, e.scenario, []fault.Fault{probe}, nil)
	if err := failureError(o); err != nil {
		w, unclean := e.resetAfter(ctx, w, o) // for the next scenario
		return w, errors.Join(err, unclean)
	}
	if found := judge(o, o); len(found) > 0 {
		e.found = []caseResult{{Reached: true, Findings: found, Why: explain(o, found)}}
	}
	e.clean, e.report.Clean = o, o.steps
	return e.resetAfter(ctx, w, o)
}

// resetAfter makes a sandbox fit for the next run, or returns another one; none with an error.
func (e *explorer) resetAfter(ctx context.Context, w *sandbox, o *runResult) (*sandbox, error) {
	_, err := w.reset(ctx, o)
	return e.recreatedAfter(ctx, w, err)
}

// recreatedAfter returns a sandbox that cleaning has come to an error in, or another one if
// something is left in it; none with an error.
func (e *explorer) recreatedAfter(ctx context.Context, w *sandbox, err error) (*sandbox, error) {
	if !errors.Is(err, errNotClean) {
		return w, err
	}
	if err := e.shared.pool.drop(ctx, w); err != nil {
		return nil, err
	}
	return e.shared.pool.take(ctx)
}

// failureError is the error of a run without a fault that has not come to its end.
func failureError(o *runResult) error {
	if o.err != nil {
		return o.err
	}
	if o.result.Outcome != engine.Passed {
		return fmt.Errorf("%w: %s", ErrUnclean, shortfalls(o.result.Failures))
	}
	return nil
}

// shortfalls tells why a scenario did not pass, in a line.
func shortfalls(failures []engine.Failure) string {
	var all []string
	for i := range failures {
		all = append(all, failures[i].Error())
		for _, difference := range failures[i].Differences {
			all = append(all, difference.String())
		}
	}
	return strings.Join(all, "; ")
}

// notCleanError is the error of a run without a fault in which anything is wrong.
func notCleanError(o *runResult) error {
	if err := failureError(o); err != nil {
		return err
	}
	if found := judge(o, o); len(found) > 0 {
		return fmt.Errorf("%w: %v", ErrUnclean, found)
	}
	return nil
}
