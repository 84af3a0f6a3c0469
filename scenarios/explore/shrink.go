package explore

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/oracle"
	"github.com/cosi-emu/cosi-emu/scenarios/document"
)

// How long a step of a small scenario may take that does not say otherwise: without
// a fault as many times longer as all steps took when it last passed, and with one as
// long as components need to find their feet again.
const (
	cleanFactor     = 4
	cleanPatience   = 500 * time.Millisecond
	faultedPatience = 3 * time.Second
)

// shrinkAll makes a small scenario of each group, on all worlds at the same time.
func (e *explorer) shrinkAll(ctx context.Context) error {
	p := &progress{explorer: e, phase: "shrinking", total: len(e.report.Findings), began: time.Now()}
	errs := make([]error, len(e.report.Findings))
	var all sync.WaitGroup
	for i := range e.report.Findings {
		all.Go(func() {
			errs[i] = e.shrinkGroup(ctx, &e.report.Findings[i])
			p.ended(outcome{Findings: []oracle.Finding{{}}})
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

func (e *explorer) shrinkGroup(ctx context.Context, g *Group) error {
	w, err := e.pool.take(ctx)
	if err != nil {
		return err
	}
	s := &shrinker{pool: e.pool, world: w, passed: map[string]bool{}, oracle: g.Oracle, usual: e.clean.steps}
	defer func() {
		if s.world != nil {
			e.pool.give(s.world)
		}
	}()
	from, err := newSource(e.options.File, e.options.Text)
	if err != nil {
		return err
	}
	within, cancel := context.WithTimeout(ctx, e.options.ShrinkTimeout)
	defer cancel()
	smallest, err := s.shrink(within, candidate{from, g.Case})
	if err != nil && ctx.Err() == nil && within.Err() != nil {
		err = nil // it is as small as the time allowed
	}
	if err != nil {
		return err
	}
	text, err := smallest.render(*g)
	g.Shrunk = string(text)
	return err
}

// shrinker makes candidates smaller while the same oracle still finds something.
type shrinker struct {
	pool   *pool
	world  *world
	oracle string
	usual  time.Duration   // of all steps of a clean run
	passed map[string]bool // candidates that are known not to fail, as text
}

// shrink returns the smallest candidate that it has come to, also with an error. What
// did not help is tried again when something else has gone.
func (s *shrinker) shrink(ctx context.Context, c candidate) (candidate, error) {
	for {
		smaller, err := s.pass(ctx, c)
		if err != nil || smaller.source == c.source && slices.Equal(keysOf(smaller.faults), keysOf(c.faults)) {
			return smaller, err
		}
		c = smaller
	}
}

// pass tries everything once. After a success it goes on at the same place, where
// there is something else now.
func (s *shrinker) pass(ctx context.Context, c candidate) (candidate, error) {
	for i := 0; ; {
		all := slices.Collect(c.smaller())
		if i >= len(all) {
			return c, nil
		}
		fails, err := s.failsAnew(ctx, all[i])
		if err != nil {
			return c, err
		}
		if fails {
			c = all[i]
		} else {
			i++
		}
	}
}

func keysOf(c Case) []string {
	keys := make([]string, len(c))
	for i, t := range c {
		keys[i] = t.String()
	}
	return keys
}

// failsAnew is fails, but for what is known not to fail.
func (s *shrinker) failsAnew(ctx context.Context, c candidate) (bool, error) {
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	text, err := c.source.text()
	key := string(text) + c.faults.String()
	if err != nil || s.passed[key] {
		return false, nil //nolint:nilerr // what cannot be written is no scenario
	}
	fails, err := s.fails(ctx, c)
	if err == nil && !fails {
		s.passed[key] = true
	}
	return fails, err
}

// fails reports whether a candidate passes without its faults, and the oracle finds
// something with them. If there are none, the steps must pass nevertheless.
func (s *shrinker) fails(ctx context.Context, c candidate) (bool, error) {
	scenario, err := c.source.scenario()
	if err != nil {
		return false, nil //nolint:nilerr // it is no scenario any more
	}
	if c.source.saysNoTimeout() {
		scenario.Setup.Timeout = document.Duration(max(cleanPatience, cleanFactor*s.usual))
	}
	clean := s.world.run(ctx, scenario, nil, nil)
	if err := s.tidy(ctx, clean); err != nil {
		return false, err
	}
	has := func(f oracle.Finding) bool { return f.Oracle == s.oracle }
	if len(c.faults) == 0 { // it is wrong by itself
		return failure(clean) == nil && slices.ContainsFunc(judge(clean, clean), has), ctx.Err()
	}
	if uncleanness(clean) != nil {
		return false, nil //nolint:nilerr // it is no candidate
	}
	s.usual = clean.steps
	if c.source.saysNoTimeout() {
		scenario.Setup.Timeout = document.Duration(faultedPatience)
	}
	o := s.world.run(ctx, scenario, c.faults.faults(), clean)
	if err := s.tidy(ctx, o); err != nil {
		return false, err
	}
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	return o.reached() && slices.ContainsFunc(judge(o, clean), has), nil
}

// tidy makes the world fit for the next run, or takes another one.
func (s *shrinker) tidy(ctx context.Context, o *observation) error {
	_, err := s.world.clean(ctx, o)
	if !errors.Is(err, errLeft) {
		return err
	}
	if err := s.pool.drop(ctx, s.world); err != nil {
		return err
	}
	s.world, err = s.pool.take(ctx)
	return err
}
