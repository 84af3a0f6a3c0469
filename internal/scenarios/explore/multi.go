package explore

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// ErrBudget is the error of a scenario that was not begun with.
var ErrBudget = errors.New("budget exhausted before this scenario")

// Source is a scenario to explore.
type Source struct {
	// File is the name of the file, and Text its content.
	File string
	Text []byte
}

// All explores scenarios one after the other, in the same sandboxes. What was tried
// for one is not tried again for another in the same situation: when Kubernetes and
// the backend hold the same, and the same is about to happen. Each report is told as
// soon as it is there, or the error of a scenario that cannot be explored, with which
// it goes on. Options.State is a directory, with a file for each scenario, and
// Options.Budget is for all of them. If the context ends, what was done of the scenario
// at hand is told, too.
func All(ctx context.Context, opts Options, sources []Source, told func(Source, *Report, error)) (err error) {
	opts, err = opts.withDefaults()
	if err != nil {
		return err
	}
	opts.shared = &sharedState{pool: newPool(opts), tried: map[string]bool{}, ends: opts.ends()}
	defer func() { err = errors.Join(err, opts.shared.pool.stop(context.WithoutCancel(ctx))) }()
	if opts.State != "" {
		if err := os.MkdirAll(opts.State, dirMode); err != nil {
			return fmt.Errorf("create the state directory: %w", err)
		}
	}
	for _, source := range sources {
		if opts.shared.ends.passed() {
			told(source, nil, ErrBudget)
			continue
		}
		one := opts
		one.File, one.Text = source.File, source.Text
		if opts.State != "" {
			sum := sha256.Sum256(source.Text)
			one.State = filepath.Join(opts.State, hex.EncodeToString(sum[:])+".state")
		}
		report, err := Explore(ctx, one)
		told(source, report, err)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}

// sharedState is what explorations of several scenarios have in common.
type sharedState struct {
	pool  *pool
	tried map[string]bool // situations, and what was tried in them
	ends  deadline
}

// untried returns the trials of a clean run that were not made in the same situation
// before: in an earlier scenario, or, where only part of what there is has to be the
// same, in this one.
func (e *explorer) untried() []Trial {
	states := map[Point]string{}
	for _, s := range pruneKeys(e.clean, e.options.Prune) {
		states[s.point] = s.state
	}
	key := func(t Trial) string { return states[t.Point] + string(t.Kind) }
	chosen := map[string]bool{}
	var left []Trial
	for _, t := range e.trials {
		if e.shared.tried[key(t)] || e.options.Prune != PruneState && chosen[key(t)] {
			e.report.Pruned++
			continue
		}
		chosen[key(t)] = true
		left = append(left, t)
	}
	left = sample(left, e.options.Sample, e.options.Seed)
	for _, t := range left {
		e.shared.tried[key(t)] = true
	}
	return left
}
