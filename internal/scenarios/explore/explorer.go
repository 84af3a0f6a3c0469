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

// ErrUnclean is the error of a scenario whose steps fail without faults. There is no clean
// run to compare with.
var ErrUnclean = errors.New("the scenario fails without faults")

// Explore runs a scenario with every fault, and reports the findings. If the context ends,
// it returns the report of the completed runs with the error.
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
	if e.shared == nil { // this is the only exploration
		e.shared = &sharedState{pool: newPool(opts), tried: map[string]bool{}, ends: opts.ends()}
		defer func() { err = errors.Join(err, e.shared.pool.stop(context.WithoutCancel(ctx))) }()
	}
	err = e.explore(ctx)
	return &e.report, errors.Join(err, e.done.close())
}

// explorer is a running exploration.
type explorer struct {
	options  Options
	scenario *spec.Scenario
	shared   *sharedState
	done     *stateFile

	clean  *runResult
	trials []Trial
	seen   map[string]bool // prune keys of the trials
	pairs  []Case
	found  []caseResult // runs with findings
	report Report
}

// explore runs all phases.
func (e *explorer) explore(ctx context.Context) error {
	e.options.Progress(Progress{Phase: "starting"})
	if err := e.runClean(ctx); err != nil {
		return err
	}
	if len(e.found) > 0 { // it fails without faults: there is no clean run
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

// finish groups, confirms and shrinks the findings.
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

// probe makes the journal record watch events. The delay is negligible.
var probe = fault.Fault{
	Name: "probe", Match: fault.Match{Seam: journal.SeamAPI, Operation: journal.EventPrefix + "*"}, Effect: fault.Effect{Delay: 1},
}

// runClean runs the scenario without faults: once to warm up, and once as the clean run. A
// finding in it is the only finding of the exploration.
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
	if e.options.Interference {
		e.trials = e.interferences(e.clean)
		if e.options.Pairs {
			e.trials = append(e.trials, e.machineFaults(points...)...)
		}
	} else {
		e.trials = e.trialsAt(points...)
	}
	e.report.Points, e.report.Applicable = len(points), len(e.trials)
	e.rememberStates(e.clean)
	return nil
}

// trialsAt returns the selected trials at points.
func (e *explorer) trialsAt(points ...Point) []Trial {
	return timingOf(e.options.Emulator.RPCTimeout).trials(points, e.options.Kinds, e.options.At)
}

// runOnce runs the scenario without faults. Violations are findings.
func (e *explorer) runOnce(ctx context.Context, w *sandbox) (*sandbox, error) {
	o := w.run(ctx, e.scenario, []fault.Fault{probe}, nil)
	if err := failureError(o); err != nil {
		w, unclean := e.resetAfter(ctx, w, o) // for the next scenario
		return w, errors.Join(err, unclean)
	}
	if found := judge(o, o); len(found) > 0 {
		e.found = []caseResult{{Reached: true, Findings: found, Explanation: explain(o, o, found), observed: o}}
	}
	e.clean, e.report.Clean = o, o.steps
	return e.resetAfter(ctx, w, o)
}

// resetAfter resets a sandbox, or replaces it. With an error, the sandbox may be nil.
func (e *explorer) resetAfter(ctx context.Context, w *sandbox, o *runResult) (*sandbox, error) {
	_, err := w.reset(ctx, o)
	return e.recreatedAfter(ctx, w, err)
}

// recreatedAfter replaces a sandbox if its reset failed with errNotClean. The sandbox is
// nil if that fails, too.
func (e *explorer) recreatedAfter(ctx context.Context, w *sandbox, err error) (*sandbox, error) {
	if !errors.Is(err, errNotClean) {
		return w, err
	}
	if err := e.shared.pool.drop(ctx, w); err != nil {
		return nil, err
	}
	return e.shared.pool.take(ctx)
}

// failureError returns the error of a run without faults that did not pass.
func failureError(o *runResult) error {
	if o.err != nil {
		return o.err
	}
	if o.result.Outcome != engine.Passed {
		return fmt.Errorf("%w: %s", ErrUnclean, shortfalls(o.result.Failures))
	}
	return nil
}

// shortfalls renders failures in one line.
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

// notCleanError returns the error of a run without faults that failed or has findings.
func notCleanError(o *runResult) error {
	if err := failureError(o); err != nil {
		return err
	}
	if found := judge(o, o); len(found) > 0 {
		return fmt.Errorf("%w: %v", ErrUnclean, found)
	}
	return nil
}
