package explore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/oracle/checks"
)

// shrinkAll shrinks each confirmed group to a small scenario, one after the other, in all
// sandboxes.
func (e *explorer) shrinkAll(ctx context.Context) error {
	p := &progress{explorer: e, phase: "shrinking", total: len(e.report.Findings), began: time.Now()}
	for i := range e.report.Findings {
		if g := &e.report.Findings[i]; g.Confirmed {
			line, err := e.shrinkGroup(ctx, g)
			if err != nil {
				return err
			}
			if err := e.keep(ctx, g, line, fmt.Sprintf("%s-%02d-%s", e.report.Scenario, i+1, g.Oracle)); err != nil {
				return err
			}
		}
		p.ended(caseResult{Case: e.report.Findings[i].Case, Findings: []checks.Finding{{}}})
	}
	return nil
}

// shrinkGroup returns candidates that fail, each smaller than the one before.
func (e *explorer) shrinkGroup(ctx context.Context, g *Group) ([]candidate, error) {
	from, err := newSource(e.options.File, e.options.Text)
	if err != nil {
		return nil, err
	}
	from.dropDescriptions()
	s := &shrinker{explorer: e, group: g, passed: map[string]bool{}, clean: map[string]*runResult{}, usual: e.clean.steps}
	within, cancel := context.WithTimeout(ctx, e.options.ShrinkTimeout)
	defer cancel()
	line, err := s.shrink(within, candidate{from, g.Case})
	g.Trials = s.trials
	if err != nil && ctx.Err() == nil && within.Err() != nil {
		err = nil // the smallest candidate so far is the result
	}
	return line, err
}

// shrinker shrinks candidates while they fail by the same oracle.
type shrinker struct {
	explorer *explorer
	group    *Group

	mu     sync.Mutex
	usual  time.Duration
	trials int
	passed map[string]bool       // candidates that are known not to fail, as text
	clean  map[string]*runResult // by the text of the scenario; nil if it does not pass
}

// shrink returns the failing candidates, the smallest last, also with an error. It tries one
// candidate in each sandbox at a time. After a success it continues at the same index. It
// ends when no smaller candidate fails.
func (s *shrinker) shrink(ctx context.Context, c candidate) ([]candidate, error) {
	line := []candidate{c}
	all := slices.Collect(c.smaller())
	for i, inVain := 0, 0; inVain < len(all); i %= max(len(all), 1) {
		batch := all[i:min(i+s.explorer.options.Sandboxes, len(all))]
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
	text, err := c.source.text()
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
