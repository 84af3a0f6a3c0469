package shrink

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/explore/cause"
	"github.com/cosi-emu/cosi-emu/internal/explore/run"
	"github.com/cosi-emu/cosi-emu/internal/explore/sandbox"
)

// DefaultTimeout is the default of Options.Timeout.
const DefaultTimeout = 2 * time.Minute

// Options configure the shrinking of the findings of one exploration.
type Options struct {
	// File is the file of the explored scenario, and Text its content.
	File string
	Text []byte
	// Usual is the duration of the steps of a run without faults.
	Usual time.Duration
	// Timeout limits the shrinking of one finding.
	Timeout time.Duration
	// Out is a directory for the shrunk scenarios, their recordings and timelines; empty: nothing is written.
	Out string
	// Version is the version of the program, for recordings. Program is the command that runs it, for timelines; empty
	// means cosi-emu.
	Version, Program string
	// Baseline has the findings of the whole scenario without faults.
	Baseline *run.Baseline
	// Pool has the sandboxes for the runs.
	Pool *sandbox.Pool
}

// Group shrinks a group to a small scenario, and completes the group with it. The files in Options.Out
// have a name without an extension.
func Group(ctx context.Context, opts Options, g *cause.Group, name string) error {
	from, err := newTree(opts.File, opts.Text)
	if err != nil {
		return err
	}
	from.dropDescriptions()
	s := &shrinker{options: opts, group: g, passed: map[string]bool{}, clean: map[string]*run.Record{}, usual: opts.Usual}
	within, cancel := context.WithTimeout(ctx, opts.Timeout)
	defer cancel()
	line, err := s.shrink(within, candidate{from, g.Case})
	g.Trials = s.trials
	if err != nil && (ctx.Err() != nil || within.Err() == nil) { // otherwise the smallest candidate so far is the result
		return err
	}
	return s.keep(ctx, line, name)
}

// shrinker shrinks candidates while they fail by the same oracle.
type shrinker struct {
	options Options
	group   *cause.Group

	mu     sync.Mutex
	usual  time.Duration
	trials int
	passed map[string]bool        // candidates that are known not to fail, as text
	clean  map[string]*run.Record // by the text of the scenario; nil if it does not pass
}

// shrink returns the failing candidates, the smallest last, also with an error. It tries one
// candidate in each sandbox at a time. After a success it continues at the same index. It
// ends when no smaller candidate fails.
func (s *shrinker) shrink(ctx context.Context, c candidate) ([]candidate, error) {
	line := []candidate{c}
	all := slices.Collect(c.smaller())
	for i, inVain := 0, 0; inVain < len(all); i %= max(len(all), 1) {
		batch := all[i:min(i+s.options.Pool.Size(), len(all))]
		hit, err := s.firstToFail(ctx, batch)
		if err != nil {
			return line, err
		}
		i, inVain = i+hit, inVain+hit
		if hit < len(batch) {
			line, inVain = append(line, batch[hit]), 0
			all = slices.Collect(batch[hit].smaller())
		}
	}
	return line, nil
}

// firstToFail returns the index of the first candidate that fails, or len(batch). The candidate
// must fail once more alone: parallel runs are slower, and a candidate that fails only in parallel
// is useless.
func (s *shrinker) firstToFail(ctx context.Context, batch []candidate) (int, error) {
	fails, errs := make([]bool, len(batch)), make([]error, len(batch))
	var all sync.WaitGroup
	for i, c := range batch {
		all.Go(func() { fails[i], errs[i] = s.failsAnew(ctx, c) })
	}
	all.Wait()
	for i, c := range batch {
		if len(batch) > 1 && fails[i] {
			fails[i], errs[i] = s.failsAnew(ctx, c)
		}
		if fails[i] {
			return i, errors.Join(errs[:i]...)
		}
	}
	return len(batch), errors.Join(errs...)
}

// failsAnew calls fails, except for candidates that are known not to fail.
func (s *shrinker) failsAnew(ctx context.Context, c candidate) (bool, error) {
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	text, err := c.tree.text()
	key := string(text) + c.faults.String()
	if err != nil || s.known(key) {
		return false, nil
	}
	fails, err := s.fails(ctx, c, string(text))
	if err == nil && !fails {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.passed[key] = true
	}
	return fails, err
}

func (s *shrinker) known(key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.passed[key]
}
