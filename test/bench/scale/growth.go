package scale

import (
	"context"
	"fmt"
	"time"

	"github.com/cosi-emu/cosi-emu/test/bench/figure"
)

const (
	// barGrowth is how much more a claim may cost among many than among few.
	barGrowth = 1.2
	// manyToFew is how many more many are than few.
	manyToFew = 50
	// growthRounds is how many rounds of the comparison there are for each of the
	// load: a round is short.
	growthRounds = 2
)

// among is an environment with a number of claims in place, and what further claims cost
// there.
type among struct {
	env      *environment
	claims   int
	left     string // namespace with the objects of the latest replay, if not empty
	measured []figure.Cost
	baseline []figure.Cost
}

// measureGrowth compares the cost of a claim among few others and among many, on
// two control planes, in turns.
func measureGrowth(ctx context.Context, opts Options, progress func(string)) (figures []figure.Figure, err error) {
	err = withEnvironment(ctx, opts, func(small *environment) error {
		return withEnvironment(ctx, opts, func(large *environment) error {
			few := max(1, opts.Many/manyToFew)
			g := &growth{
				few:   &among{env: small, claims: few},
				many:  &among{env: large, claims: opts.Many},
				batch: few,
			}
			figures, err = g.run(ctx, opts.Rounds*growthRounds, progress)
			return err
		})
	})
	return figures, err
}

// growth compares two sites by a batch of claims in each.
type growth struct {
	few, many *among
	batch     int
}

func (g *growth) run(ctx context.Context, rounds int, progress func(string)) ([]figure.Figure, error) {
	both := []*among{g.few, g.many}
	for _, a := range both {
		progress(fmt.Sprintf("%d claims in place", a.claims))
		if err := a.settle(ctx); err != nil {
			return nil, err
		}
	}
	for i := range rounds {
		progress(round(fmt.Sprintf("%d claims among %d and among %d", g.batch, g.few.claims, g.many.claims), i, rounds))
		for _, a := range both {
			if err := a.run(ctx, g.batch); err != nil {
				return nil, err
			}
		}
		both[0], both[1] = both[1], both[0] // none is always the first
	}
	return g.figures(), nil
}

// settle puts the claims in place.
func (a *among) settle(ctx context.Context) error {
	m := newRequestCounter()
	return a.env.withComponents(ctx, m, func() error {
		namespace, err := CreateNamespace(ctx, a.env.admin, "scale-")
		if err != nil {
			return err
		}
		if err := a.env.create(ctx, batch{namespace: namespace, count: a.claims, claimsOnly: true}); err != nil {
			return err
		}
		return m.awaitIdle(ctx)
	})
}

// run is one round: some more claims, which go again, and their writes without
// the components. Components run in one environment at a time, so that the memory of
// the one does not burden the other.
func (a *among) run(ctx context.Context, count int) error {
	m := newRequestCounter()
	var again *replay
	err := a.env.withComponents(ctx, m, func() (err error) {
		if a.left != "" {
			if err := a.env.remove(ctx, batch{namespace: a.left, count: count, claimsOnly: true}); err != nil {
				return err
			}
		}
		if err := a.env.warmUp(ctx, m); err != nil {
			return err
		}
		again, err = a.create(ctx, m, count)
		return err
	})
	if err != nil {
		return err
	}
	if a.left, err = CreateNamespace(ctx, a.env.admin, "scale-"); err != nil {
		return err
	}
	bare, err := figure.Measure(func() error { return again.run(ctx, a.env, a.left, workers) })
	a.baseline = append(a.baseline, bare)
	return err
}

func (a *among) create(ctx context.Context, m *requestCounter, count int) (*replay, error) {
	namespace, err := CreateNamespace(ctx, a.env.admin, "scale-")
	if err != nil {
		return nil, err
	}
	b := batch{namespace: namespace, count: count, claimsOnly: true}
	m.keep()
	took, err := figure.Measure(func() error { return a.env.create(ctx, b) })
	if err != nil {
		return nil, err
	}
	if err := m.awaitIdle(ctx); err != nil {
		return nil, err
	}
	a.measured = append(a.measured, took)
	again, err := a.env.newReplay(ctx, b, m.take())
	if err != nil {
		return nil, err
	}
	return again, a.env.remove(ctx, b)
}

func (g *growth) figures() []figure.Figure {
	bareFew, bareMany := figure.Times(figure.AllElapsed(g.few.baseline)), figure.Times(figure.AllElapsed(g.many.baseline))
	bare := bareMany.Median / bareFew.Median
	clock := g.figure("time", figure.AllElapsed)
	clock.Notes = []string{
		fmt.Sprintf("the same writes without the components take %.1f ms and %.1f ms, %s x: that is the API server's own growth",
			bareMany.Median, bareFew.Median, figure.Number(bare)),
		fmt.Sprintf("against that, the growth is %s x", figure.Number(clock.Value/bare)),
	}
	processors := g.figure("processor time", figure.AllCPU)
	processors.Notes = []string{"of controller and sidecar, with the driver and the users; without the API server"}
	return []figure.Figure{clock, processors}
}

func (g *growth) figure(what string, of func([]figure.Cost) []time.Duration) figure.Figure {
	return figure.Ratio(fmt.Sprintf("%s of %d claims among %d, against among %d", what, g.batch, g.many.claims, g.few.claims), barGrowth,
		figure.Times(of(g.many.measured)), figure.Times(of(g.few.measured)))
}
