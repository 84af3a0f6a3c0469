package explore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/internal/explore/cause"
	"github.com/cosi-emu/cosi-emu/internal/explore/plan"
	"github.com/cosi-emu/cosi-emu/internal/explore/run"
	"github.com/cosi-emu/cosi-emu/internal/explore/sandbox"
	"github.com/cosi-emu/cosi-emu/internal/explore/shard"
	"github.com/cosi-emu/cosi-emu/internal/explore/source"
	"github.com/cosi-emu/cosi-emu/internal/oracle/checks"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

// Explore runs a scenario with every fault, and reports the findings. If the context ends,
// it returns the report of the completed runs with the error.
func Explore(ctx context.Context, opts Options) (report *Report, err error) {
	if opts, err = opts.withDefaults(ctx); err != nil {
		return nil, err
	}
	scenario, err := source.Load(opts.File, opts.Text)
	if err != nil {
		return nil, err
	}
	if api := opts.Emulator.API; api != "" && api != scenario.API() {
		return nil, fmt.Errorf("%w: %s has kinds of %s, and your components serve %s",
			source.ErrScenario, opts.File, scenario.API(), api)
	}
	opts.Emulator.API = scenario.API()
	if dialect := opts.Emulator.Dialect; dialect != "" && dialect != dialects.V1alpha1 && opts.Emulator.API == objectstorage.V1alpha1 {
		return nil, fmt.Errorf("%w: %s is for the kinds of %s, for which a driver cannot speak %s",
			source.ErrScenario, opts.File, objectstorage.V1alpha1, dialect.Protocol())
	}
	e := &explorer{
		options: opts, scenario: scenario, shared: opts.shared, seen: map[string]bool{},
		report: Report{
			Scenario: scenario.Name, ControlPlane: string(opts.plane.Kind), Notice: opts.plane.Notice,
			Sandboxes: opts.Sandboxes, State: opts.State, Shard: opts.Shard,
		},
	}
	if e.done, err = shard.Open(ctx, opts.State, opts.Text, scenario.Name, opts.Shard); err != nil {
		return nil, err
	}
	if e.shared == nil { // this is the only exploration
		e.shared = newSharedState(opts)
		defer func() { err = errors.Join(err, e.shared.pool.Stop(context.WithoutCancel(ctx))) }()
	}
	if err := e.shared.serve(ctx, opts); err != nil {
		return nil, errors.Join(err, e.done.Close(ctx))
	}
	err = e.explore(ctx)
	if e.clean != nil {
		e.addReasons()
	}
	return &e.report, errors.Join(err, e.done.Close(ctx))
}

type explorer struct {
	options  Options
	scenario *spec.Scenario
	shared   *sharedState
	done     *shard.State

	clean    *run.Record
	passed   bool // the clean run has no findings
	unclean  bool // most runs without faults have findings
	terminal bool // the scenario fails without faults, and no fault is tried
	leaves   bool // the run without faults leaves something behind
	baseline run.Baseline
	reads    map[run.Point]bool // of every run without faults so far
	trials   []plan.Trial
	seen     map[string]bool // prune keys of the trials
	pairs    []plan.Case
	found    []cause.Result // runs with findings
	report   Report
}

// explore runs all phases.
func (e *explorer) explore(ctx context.Context) error {
	e.options.Progress(Progress{Phase: "starting"})
	if err := e.runClean(ctx); err != nil {
		return err
	}
	if e.terminal {
		return nil
	}
	if e.options.MeasureSeams && !e.unclean {
		if err := e.measureSeams(ctx); err != nil {
			return err
		}
	}
	if err := e.explorePoints(ctx); err != nil { // completed runs are not repeated
		e.report.Findings = cause.Groups(append(e.done.Found, e.found...))
		return err
	}
	return e.finish(ctx, append(e.done.Found, e.found...))
}

// conclude reports a scenario that fails without faults. The runs without faults have confirmed the findings.
func (e *explorer) conclude() {
	e.report.Findings = cause.Groups(e.found)
	e.shared.known.refer(&e.report)
	for i := range e.report.Findings {
		if g := &e.report.Findings[i]; g.Known == nil {
			g.Confirmed, g.Runs = true, decidingRuns
		}
	}
	e.shared.known.add(&e.report)
}

// finish groups, confirms and shrinks the findings.
func (e *explorer) finish(ctx context.Context, found []cause.Result) error {
	e.report.Findings = cause.Groups(found)
	e.shared.known.refer(&e.report)
	if err := errors.Join(e.confirmAll(ctx), e.confirmOnEnvtest(ctx)); err != nil {
		return err
	}
	e.shared.known.add(&e.report)
	if e.options.Shrink {
		return e.shrinkAll(ctx)
	}
	return nil
}

// Phases in the report.
const (
	phaseSingle = "single faults"
	phaseLate   = "restarts while a resource lags"
	phaseTravel = "restarts into an earlier state"
	phasePairs  = "pairs"
)

// explorePoints runs all cases, one kind after the other.
func (e *explorer) explorePoints(ctx context.Context) error {
	begin := time.Now()
	defer func() { e.report.Duration += time.Since(begin) }()
	trials := e.untried()
	cases := make([]plan.Case, len(trials))
	for i, t := range trials {
		cases[i] = plan.Case{t}
	}
	if err := e.runAll(ctx, phaseSingle, e.options.Shard.Select(cases), e.options.Pairs); err != nil {
		return err
	}
	if slices.Contains(e.options.Kinds, plan.TimeTravel) {
		travels := e.options.Shard.Select(plan.TimeTravels(e.clean, e.options.At))
		if err := e.runAll(ctx, phaseTravel, travels, false); err != nil {
			return err
		}
	}
	if e.options.Pairs {
		late := e.options.Shard.Select(plan.LateRestarts(trials))
		if err := e.runAll(ctx, phaseLate, late, false); err != nil {
			return err
		}
		if err := e.runAll(ctx, phasePairs, e.pairs, false); err != nil {
			return err
		}
	}
	return e.runAll(ctx, "random faults", e.options.Shard.Select(plan.RandomCases(e.trials, e.options.Random, e.options.Seed)), false)
}

// decidingRuns is the number of agreeing runs without faults that decide whether they have
// findings. One of them also warms up. If they have, the scenario runs until a run adds no finding,
// at most baselineRuns more times, unless its objects cannot become as it expects.
const (
	decidingRuns = 2
	baselineRuns = 6
)

// runClean runs the scenario without faults. The last run without findings is the clean run, or else the
// last one. If most runs have findings, these are the baseline.
func (e *explorer) runClean(ctx context.Context) error {
	if err := e.shared.pool.Lend(ctx, func(w *sandbox.Sandbox) (*sandbox.Sandbox, error) { return e.decide(ctx, w) }); err != nil {
		return err
	}
	if e.unclean {
		e.clean.Baseline = &e.baseline
	} else {
		e.found, e.baseline, e.leaves = nil, run.Baseline{}, false
	}
	e.report.Baseline = e.baselineReport()
	if e.terminal {
		e.conclude()
		return nil
	}
	points := slices.DeleteFunc(run.PointsOf(e.clean.Open(), e.clean.Names), func(p run.Point) bool { return p.Reads() && !e.reads[p] })
	if e.options.Interference {
		e.trials = plan.Interferences(e.clean, e.options.Kinds, e.options.At)
		if e.options.Pairs {
			e.trials = append(e.trials, e.machineFaults(points...)...)
		}
	} else {
		e.trials = append(e.trialsAt(points...), plan.Lags(e.clean, e.options.Kinds, e.options.At)...)
	}
	e.report.Points, e.report.Applicable = len(points), len(e.trials)
	e.rememberStates(e.clean)
	return nil
}

// decide runs the scenario without faults until it is known whether it has findings.
func (e *explorer) decide(ctx context.Context, w *sandbox.Sandbox) (_ *sandbox.Sandbox, err error) {
	of := verdict{added: true}
	for good, bad, terminal := 0, 0, 0; good < decidingRuns && (bad < decidingRuns || of.added && bad < decidingRuns+baselineRuns); {
		if w, of, err = e.runOnce(ctx, w); err != nil {
			return w, err
		}
		if of.passed {
			good++
		} else {
			bad++
		}
		if of.terminal {
			terminal++
		}
		e.unclean, e.terminal = bad >= decidingRuns, terminal >= decidingRuns
		if e.terminal {
			break
		}
	}
	return w, nil
}

// verdict is about a run without faults.
type verdict struct {
	passed   bool // it has no findings
	added    bool // it has added findings to the baseline
	terminal bool // a step has failed, and more time would change nothing
}

func (e *explorer) trialsAt(points ...run.Point) []plan.Trial {
	return plan.TimingOf(e.options.Emulator.RPCTimeout).Trials(points, e.options.Kinds, e.options.At)
}

// runOnce runs the scenario without faults.
func (e *explorer) runOnce(ctx context.Context, w *sandbox.Sandbox) (_ *sandbox.Sandbox, of verdict, err error) {
	o := w.Run(ctx, e.scenario, []fault.Fault{run.Probe}, nil)
	if err := errors.Join(run.BrokenError(o), ctx.Err()); err != nil {
		w, unclean := e.shared.pool.ResetAfter(ctx, w, o)
		return w, verdict{}, errors.Join(err, unclean)
	}
	found := run.Judge(o, o)
	of.passed = len(found) == 0
	of.terminal = slices.ContainsFunc(o.Result.Failures, func(f outcome.Failure) bool { return f.Terminal })
	fresh := slices.DeleteFunc(slices.Clone(found), e.baseline.Has)
	for _, together := range apart(fresh) {
		e.found = append(e.found, withoutFault(o, together))
	}
	of.added = e.baseline.Add(fresh)
	if !of.passed && e.clean != nil { // what differs between runs without faults is no effect of a fault
		of.added = e.baseline.Add(slices.Concat(run.Judge(o, e.clean), run.Judge(e.clean, o))) || of.added
	}
	if of.passed || !e.passed {
		e.clean, e.passed, e.report.Clean = o, of.passed, o.Steps
	}
	e.keepReads(o)
	left, err := w.Reset(ctx, o)
	e.leaves = e.leaves || left
	w, err = e.shared.pool.ReplaceUnclean(ctx, w, err)
	return w, of, err
}

// keepReads forgets the reads that a run without faults lacks. How often a component reads depends on how fast its
// caches are, so that a fault at such a read would often not be reached.
func (e *explorer) keepReads(o *run.Record) {
	reads := map[run.Point]bool{}
	for _, p := range run.PointsOf(o.Open(), o.Names) {
		if p.Reads() && (e.reads == nil || e.reads[p]) {
			reads[p] = true
		}
	}
	e.reads = reads
}

// endOracles judge the end of a run.
var endOracles = []string{vocabulary.Leak, vocabulary.Silence, vocabulary.Convergence, vocabulary.Status}

// apart separates the findings of a run without faults: each has a cause of its own. If a step failed, what
// the end of the run shows can be a consequence, and stays with the failed step, which comes first: the end is earlier
// than the scenario's.
func apart(found []checks.Finding) (all [][]checks.Finding) {
	var steps, atEnd []checks.Finding
	failed := slices.ContainsFunc(found, func(f checks.Finding) bool { return f.Oracle == run.OracleSteps })
	for _, f := range found {
		switch {
		case f.Oracle == run.OracleSteps:
			steps = append(steps, f)
		case failed && (len(f.Events) == 0 || slices.Contains(endOracles, f.Oracle)):
			atEnd = append(atEnd, f)
		default:
			all = append(all, []checks.Finding{f})
		}
	}
	if failed {
		all = append(all, slices.Concat(steps, atEnd))
	}
	return all
}

// withoutFault returns the result of a run without faults for some of its findings.
func withoutFault(o *run.Record, found []checks.Finding) cause.Result {
	return cause.Result{Reached: true, Runs: 1, Findings: found, Explanation: cause.Explain(o, o, found), Observed: o}
}
