package scale

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/test/bench/figure"
)

// oneClaim is what accesses of one claim cost, for several numbers of them.
type oneClaim []*sizeCost

// sizeCost has the costs, in each round, of a number of accesses of one claim.
type sizeCost struct {
	size             int
	created, deleted []figure.Cost
	// bare is what as many writes cost, between the two, that no component sees:
	// the API server is not always equally fast.
	bare  []figure.Cost
	asked requestCounts // by the components, in all rounds
}

// bareWrites is how many bare writes are made for each access. It is about as
// many as its creation takes.
const bareWrites = 8

func measureOneClaim(ctx context.Context, opts Options, progress func(string)) ([]figure.Figure, error) {
	o := newOneClaim(opts.Pairs)
	err := withEnvironment(ctx, opts, func(s *environment) error {
		m := newRequestCounter()
		return s.withComponents(ctx, m, func() error {
			if err := s.warmUp(ctx, m); err != nil {
				return err
			}
			for i := range opts.Rounds {
				progress(round(fmt.Sprintf("up to %d accesses of one claim", opts.Pairs), i, opts.Rounds))
				if err := o.run(ctx, s, m); err != nil {
					return err
				}
			}
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	return o.figures(), nil
}

// newOneClaim takes a quarter, a half, and the whole of the number.
func newOneClaim(most int) oneClaim {
	var o oneClaim
	for _, size := range []int{most / 4, most / 2, most} {
		o = append(o, &sizeCost{size: max(1, size), asked: newRequestCounts()})
	}
	return o
}

// run takes each size once, with a claim of its own.
func (o oneClaim) run(ctx context.Context, s *environment, m *requestCounter) error {
	for _, c := range o {
		namespace, err := CreateNamespace(ctx, s.admin, "scale-")
		if err != nil {
			return err
		}
		claim := batch{namespace: namespace, count: 1, claimsOnly: true}
		if err := s.create(ctx, claim); err != nil {
			return err
		}
		if err := c.run(ctx, s, m, batch{namespace: namespace, count: c.size, claim: numbered(0)}); err != nil {
			return err
		}
		if err := s.remove(ctx, claim); err != nil {
			return err
		}
	}
	return nil
}

// run creates the accesses and deletes them, both from a standing start.
func (c *sizeCost) run(ctx context.Context, s *environment, m *requestCounter, b batch) error {
	before := m.read()
	for _, part := range []struct {
		costs *[]figure.Cost
		do    func() error
	}{
		{&c.created, func() error { return s.create(ctx, b) }},
		{&c.bare, func() error { return s.writeBare(ctx, b.namespace, b.count*bareWrites) }},
		{&c.deleted, func() error { return s.remove(ctx, b) }},
	} {
		if err := m.awaitIdle(ctx); err != nil {
			return err
		}
		took, err := figure.Measure(part.do)
		if err != nil {
			return err
		}
		*part.costs = append(*part.costs, took)
	}
	c.asked = c.asked.plus(m.read().since(before))
	return nil
}

// writeBare creates ConfigMaps, which no component watches.
func (e *environment) writeBare(ctx context.Context, namespace string, count int) error {
	return concurrently(ctx, workers, count, func(ctx context.Context, _ int) error {
		return e.admin.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, GenerateName: "bare-"}})
	})
}
