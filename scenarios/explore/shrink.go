package explore

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/oracle"
)

// shrinkTimeout is how long one finding is made smaller.
const shrinkTimeout = 2 * time.Minute

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
	s := &shrinker{pool: e.pool, world: w, oracle: g.Oracle}
	defer func() {
		if s.world != nil {
			e.pool.give(s.world)
		}
	}()
	from, err := newSource(e.options.File, e.options.Text)
	if err != nil {
		return err
	}
	within, cancel := context.WithTimeout(ctx, shrinkTimeout)
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
}

// shrink returns the smallest candidate that it has come to, also with an error.
func (s *shrinker) shrink(ctx context.Context, c candidate) (candidate, error) {
	for {
		next, found, err := s.step(ctx, c)
		if err != nil || !found {
			return c, err
		}
		c = next
	}
}

// step finds one smaller candidate that still fails.
func (s *shrinker) step(ctx context.Context, c candidate) (candidate, bool, error) {
	for smaller := range c.smaller() {
		if ctx.Err() != nil {
			return c, false, ctx.Err()
		}
		fails, err := s.fails(ctx, smaller)
		if err != nil || fails {
			return smaller, fails, err
		}
	}
	return c, false, nil
}

// fails reports whether a candidate passes without its faults, and the oracle finds
// something with them.
func (s *shrinker) fails(ctx context.Context, c candidate) (bool, error) {
	scenario, err := c.source.scenario()
	if err != nil {
		return false, nil //nolint:nilerr // it is no scenario any more
	}
	clean := s.world.run(ctx, scenario, nil, nil)
	if err := s.tidy(ctx); err != nil {
		return false, err
	}
	if uncleanness(clean) != nil {
		return false, nil
	}
	o := s.world.run(ctx, scenario, c.faults.faults(), clean)
	if err := s.tidy(ctx); err != nil {
		return false, err
	}
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	has := func(f oracle.Finding) bool { return f.Oracle == s.oracle }
	return o.reached() && slices.ContainsFunc(judge(o, clean), has), nil
}

// tidy makes the world fit for the next run, or takes another one.
func (s *shrinker) tidy(ctx context.Context) error {
	_, err := s.world.clean(ctx)
	if !errors.Is(err, errLeft) {
		return err
	}
	if err := s.pool.drop(ctx, s.world); err != nil {
		return err
	}
	s.world, err = s.pool.take(ctx)
	return err
}
