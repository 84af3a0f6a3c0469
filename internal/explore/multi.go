package explore

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/internal/explore/plan"
	"github.com/cosi-emu/cosi-emu/internal/explore/remote"
	"github.com/cosi-emu/cosi-emu/internal/explore/run"
	"github.com/cosi-emu/cosi-emu/internal/explore/sandbox"
	"github.com/cosi-emu/cosi-emu/internal/explore/source"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
	"github.com/cosi-emu/cosi-emu/internal/scenario/starvation"
)

// ErrBudget means that a scenario was not started.
var ErrBudget = errors.New("budget exhausted before this scenario")

// stateDirMode is the mode of a directory for states.
const stateDirMode = 0o700

// Source is a scenario to explore.
type Source struct {
	// File is the name of the file, and Text its content.
	File string
	Text []byte
}

// All explores scenarios one after the other, in the same sandboxes. Those for one version of
// the COSI kinds come after each other. A fault that
// was tried in one scenario is not tried at an equivalent operation of another:
// [Options.Prune] selects which operations count as equivalent. A finding with the cause and the message of a confirmed
// one of an earlier scenario refers to it, and is not run again. All calls done with the
// report of each scenario, or with the error of a scenario that cannot be explored, and
// continues. Options.State is a directory with a file for each scenario, or
// s3://BUCKET/PREFIX, and Options.Budget is for all scenarios. If the context ends, done gets the partial report
// of the current scenario.
func All(ctx context.Context, opts Options, sources []Source, done func(Source, *Report, error)) (err error) {
	opts, err = opts.withDefaults(ctx)
	if err != nil {
		return err
	}
	opts.shared = newSharedState(opts)
	defer func() { err = errors.Join(err, opts.shared.pool.Stop(context.WithoutCancel(ctx))) }()
	if opts.State != "" && !remote.IsURL(opts.State) {
		if err := os.MkdirAll(opts.State, stateDirMode); err != nil {
			return fmt.Errorf("create the state directory: %w", err)
		}
	}
	for _, source := range groupedByAPI(sources) {
		if opts.shared.ends.passed() {
			done(source, nil, ErrBudget)
			continue
		}
		one := opts
		one.File, one.Text = source.File, source.Text
		if opts.State != "" {
			sum := sha256.Sum256(source.Text)
			one.State = remote.Join(opts.State, hex.EncodeToString(sum[:])+remote.Suffix)
		}
		report, err := Explore(ctx, one)
		done(source, report, err)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}

type sharedState struct {
	pool  *sandbox.Pool
	tried map[string]bool // prune keys with the kinds that were tried
	ends  deadline
	known knownBugs
	// starvation measures how long runs wait for a processor.
	starvation starvation.Meter
}

func newSharedState(opts Options) *sharedState {
	return &sharedState{pool: sandbox.NewPool(opts.ofSandboxes()), tried: map[string]bool{}, ends: opts.ends(), known: knownBugs{}}
}

// serve replaces the sandboxes, which must be unused, if they serve another version of the COSI
// kinds.
func (s *sharedState) serve(ctx context.Context, opts Options) error {
	if s.pool.Options.Emulator.API == opts.Emulator.API {
		return nil
	}
	err := s.pool.Stop(context.WithoutCancel(ctx))
	s.pool = sandbox.NewPool(opts.ofSandboxes())
	s.tried, s.known = map[string]bool{}, knownBugs{} // operations of versions are not equivalent, and their components are others
	return err
}

// groupedByAPI orders scenarios by the version of the COSI kinds, because each change of the
// version costs new sandboxes.
func groupedByAPI(sources []Source) []Source {
	var versions []objectstorage.Version
	of := map[objectstorage.Version][]Source{}
	for _, s := range sources {
		version := objectstorage.Version("") // unreadable scenarios are reported later
		if scenario, err := source.ParseOne(spec.Loader{}, s.File, s.Text); err == nil {
			version = scenario.API()
		}
		if of[version] == nil {
			versions = append(versions, version)
		}
		of[version] = append(of[version], s)
	}
	grouped := make([]Source, 0, len(sources))
	for _, version := range versions {
		grouped = append(grouped, of[version]...)
	}
	return grouped
}

// untried returns the trials of a clean run that were not tried before at an equivalent operation:
// of an earlier scenario, or, except with plan.PruneState, of this one.
func (e *explorer) untried() []plan.Trial {
	states := map[run.Point]string{}
	for _, s := range plan.PruneKeys(e.clean, e.options.Prune) {
		states[s.Point] = s.State
	}
	key := func(t plan.Trial) string {
		if t.Kind == plan.Lag { // of a whole run
			return e.scenario.Name + " " + t.String()
		}
		return states[t.Point] + t.Action()
	}
	chosen := map[string]bool{}
	var left []plan.Trial
	for _, t := range e.trials {
		if e.shared.tried[key(t)] || e.options.Prune != plan.PruneState && chosen[key(t)] {
			e.report.Pruned++
			continue
		}
		chosen[key(t)] = true
		left = append(left, t)
	}
	left = plan.Sample(left, e.options.Sample, e.options.Seed)
	for _, t := range left {
		e.shared.tried[key(t)] = true
	}
	return left
}
