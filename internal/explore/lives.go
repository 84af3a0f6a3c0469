package explore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/internal/explore/cause"
	"github.com/cosi-emu/cosi-emu/internal/explore/life"
	"github.com/cosi-emu/cosi-emu/internal/explore/run"
	"github.com/cosi-emu/cosi-emu/internal/explore/sandbox"
	"github.com/cosi-emu/cosi-emu/internal/explore/shrink"
	"github.com/cosi-emu/cosi-emu/internal/explore/source"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

// LivesReport counts generated scenarios.
type LivesReport struct {
	// Lives is the number of scenarios that ran, of Of, and First is the seed of the first one.
	Lives int    `json:"lives"`
	Of    int    `json:"of"`
	First uint64 `json:"first"`
	// Failed are the seeds of those with findings.
	Failed   []uint64      `json:"failed,omitempty"`
	Duration time.Duration `json:"duration"`
	// Reasons are the reasons that components gave.
	Reasons []string `json:"reasons,omitempty"`
}

// phaseLives is the phase in which generated scenarios run.
const phaseLives = "lives"

// Lives runs count generated scenarios without faults. Options.Seed is the seed of the first, and Options.Emulator.API
// their version, which defaults to v1alpha2. A scenario with findings runs again, and is explained and shrunk; its text is
// written to Options.Out. Lives calls done with its file and its report, in the order of the seeds. It ignores options about files and
// faults.
func Lives(ctx context.Context, opts Options, count int, done func(Source, *Report, error)) (report LivesReport, err error) {
	if opts, err = opts.withDefaults(ctx); err != nil {
		return report, err
	}
	opts.Emulator.API = cmp.Or(opts.Emulator.API, objectstorage.V1alpha2)
	shared := newSharedState(opts)
	defer func() { err = errors.Join(err, shared.pool.Stop(context.WithoutCancel(ctx))) }()
	l := &lives{options: opts, shared: shared, began: time.Now(), report: LivesReport{Of: count, First: opts.Seed}}
	err = l.run(ctx)
	l.report.Duration = time.Since(l.began)
	slices.SortFunc(l.failed, func(a, b *explorer) int { return cmp.Compare(a.options.Seed, b.options.Seed) })
	for _, e := range l.failed {
		l.report.Failed = append(l.report.Failed, e.options.Seed)
		if ctx.Err() == nil {
			file, err := shrink.Write(opts.Out, e.scenario.Name, e.options.Text)
			err = errors.Join(err, e.finish(ctx, e.found))
			done(Source{File: file, Text: e.options.Text}, &e.report, err)
		}
	}
	return l.report, errors.Join(err, context.Cause(ctx))
}

// lives runs the scenarios, in all sandboxes.
type lives struct {
	options Options
	shared  *sharedState
	began   time.Time

	mu     sync.Mutex
	report LivesReport
	failed []*explorer
}

func (l *lives) run(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	seeds := make(chan uint64)
	var workers sync.WaitGroup
	for range min(l.options.Sandboxes, l.report.Of) {
		workers.Go(func() {
			if err := l.work(ctx, seeds); err != nil {
				cancel(err)
			}
		})
	}
	l.feed(ctx, seeds)
	workers.Wait()
	return context.Cause(ctx)
}

// feed sends the seeds, and closes the channel.
func (l *lives) feed(ctx context.Context, seeds chan<- uint64) {
	defer close(seeds)
	for i := range uint64(l.report.Of) { //nolint:gosec // it is at least 1
		if l.shared.ends.passed() {
			return
		}
		select {
		case seeds <- l.options.Seed + i:
		case <-ctx.Done():
			return
		}
	}
}

func (l *lives) work(ctx context.Context, seeds <-chan uint64) error {
	return l.shared.pool.Lend(ctx, func(w *sandbox.Sandbox) (_ *sandbox.Sandbox, err error) {
		for seed := range seeds {
			if w, err = l.runOne(ctx, w, seed); err != nil {
				return w, fmt.Errorf("the scenario of seed %d: %w", seed, err)
			}
		}
		return w, nil
	})
}

// runOne runs the scenario of a seed.
func (l *lives) runOne(ctx context.Context, w *sandbox.Sandbox, seed uint64) (*sandbox.Sandbox, error) {
	opts := l.options
	name := life.Name(opts.Emulator.API, seed)
	opts.Seed, opts.File, opts.Text = seed, name+".yaml", life.Generate(life.Options{
		Version: opts.Emulator.API, Seed: seed, Plain: isPlain(opts.Emulator),
	})
	scenario, err := source.Load(opts.File, opts.Text)
	if err != nil {
		return w, err
	}
	began, usage := time.Now(), l.shared.starvation.Read()
	o := w.Run(ctx, scenario, []fault.Fault{run.Probe}, nil)
	if err := errors.Join(run.BrokenError(o), ctx.Err()); err != nil {
		w, unclean := l.shared.pool.ResetAfter(ctx, w, o)
		return w, errors.Join(err, unclean)
	}
	starved := l.shared.starvation.Read().Since(usage).Starved(time.Since(began))
	var found []cause.Result
	for _, together := range apart(run.Judge(o, o)) {
		result := withoutFault(o, together)
		result.Starved = starved
		found = append(found, result)
	}
	w, err = l.shared.pool.ResetAfter(ctx, w, o)
	l.ended(&explorer{
		options: opts, scenario: scenario, shared: l.shared, clean: o, found: found, unclean: len(found) > 0,
		report: Report{
			Scenario: scenario.Name, ControlPlane: string(opts.plane.Kind), Notice: opts.plane.Notice, Sandboxes: opts.Sandboxes,
			Runs: 1, Clean: o.Steps, Duration: time.Since(began),
		},
	})
	return w, err
}

// isPlain reports whether the driver may lack features: it is not the fake driver, or it is behind a bridge.
func isPlain(opts emulator.Options) bool {
	return opts.Driver != "" || opts.Implementations.DriverCommand != nil || opts.Dialect != "" && opts.Dialect != dialects.KEP
}

// ended counts a scenario, and keeps it if it has findings.
func (l *lives) ended(e *explorer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.report.Lives++
	l.report.Reasons = union(l.report.Reasons, run.Reasons(e.clean.Events))
	if len(e.found) > 0 {
		l.failed = append(l.failed, e)
	}
	took := time.Since(l.began)
	left := took / time.Duration(l.report.Lives) * time.Duration(l.report.Of-l.report.Lives)
	l.options.Progress(Progress{
		Phase: phaseLives, Done: l.report.Lives, Total: l.report.Of, Findings: len(l.failed), Last: e.scenario.Name,
		Took: e.report.Duration, Rate: float64(l.report.Lives) / took.Seconds(), Left: left,
	})
}
