package scale

import (
	"context"
	"fmt"
	"strings"

	"github.com/cosi-emu/cosi-emu/emulator/bench/figure"
)

// barSlope is how the time may grow with the number of accesses: 1 is linear.
const barSlope = 1.2

// oneClaim is what accesses of one claim cost, for several numbers of them.
type oneClaim struct {
	sizes            []int
	created, deleted [][]cost // for each size, one for each round
	asked            []tally  // by the components, for each size, all rounds
}

// measureOneClaim also measures memory, which needs a control plane just as
// fresh and leaves it so.
func measureOneClaim(ctx context.Context, opts Options, progress func(string)) (figures []figure.Figure, err error) {
	err = withSite(ctx, opts, func(s *site) error {
		m := newMeter()
		return s.withCrew(ctx, m, func() error {
			if err := s.practise(ctx, m); err != nil {
				return err
			}
			progress(fmt.Sprintf("memory of %d claims and accesses", opts.Pairs))
			memory, err := s.measureMemory(ctx, m, opts.Pairs)
			if err != nil {
				return err
			}
			o := newOneClaim(opts.Pairs)
			for i := range opts.Rounds {
				progress(round(fmt.Sprintf("up to %d accesses of one claim", opts.Pairs), i, opts.Rounds))
				if err := o.run(ctx, s, m); err != nil {
					return err
				}
			}
			figures = append(o.figures(), memory)
			return nil
		})
	})
	return figures, err
}

// newOneClaim takes a quarter, a half, and the whole of the number.
func newOneClaim(most int) *oneClaim {
	o := &oneClaim{}
	for _, size := range []int{most / 4, most / 2, most} {
		o.sizes = append(o.sizes, max(1, size))
		o.asked = append(o.asked, newTally())
	}
	o.created, o.deleted = make([][]cost, len(o.sizes)), make([][]cost, len(o.sizes))
	return o
}

// run takes each size once.
func (o *oneClaim) run(ctx context.Context, s *site, m *meter) error {
	for i, size := range o.sizes {
		namespace, err := s.namespace(ctx)
		if err != nil {
			return err
		}
		claim := batch{namespace: namespace, count: 1, claimsOnly: true}
		if err := s.create(ctx, claim); err != nil {
			return err
		}
		if err := o.take(ctx, s, m, i, batch{namespace: namespace, count: size, claim: numbered(0)}); err != nil {
			return err
		}
		if err := s.remove(ctx, claim); err != nil {
			return err
		}
	}
	return nil
}

// take times the accesses of one size.
func (o *oneClaim) take(ctx context.Context, s *site, m *meter, i int, b batch) error {
	before := m.read()
	for _, part := range []struct {
		do    func(context.Context, batch) error
		costs *[]cost
	}{{s.create, &o.created[i]}, {s.remove, &o.deleted[i]}} {
		took, err := timed(func() error { return part.do(ctx, b) })
		if err != nil {
			return err
		}
		*part.costs = append(*part.costs, took)
		if err := m.awaitIdle(ctx); err != nil {
			return err
		}
	}
	o.asked[i] = o.asked[i].plus(m.read().since(before))
	return nil
}

func (o *oneClaim) figures() []figure.Figure {
	most := o.sizes[len(o.sizes)-1]
	return []figure.Figure{
		o.figure(fmt.Sprintf("growth of the time to create %d accesses of one claim", most), o.created, o.requests()),
		o.figure(fmt.Sprintf("growth of the time to delete %d accesses of one claim", most), o.deleted),
	}
}

// figure takes the worse of the two growths: the clock can hide that processors
// were not idle before.
func (o *oneClaim) figure(what string, costs [][]cost, notes ...string) figure.Figure {
	var clock, busy []float64
	var times, used []string
	for i, size := range o.sizes {
		clock = append(clock, figure.Times(elapsed(costs[i])).Median)
		busy = append(busy, figure.Times(cpu(costs[i])).Median)
		times = append(times, fmt.Sprintf("%d in %.0f ms", size, clock[i]))
		used = append(used, fmt.Sprintf("%.2f ms", busy[i]/float64(size)))
	}
	byClock, byProcessor := slope(o.sizes, clock), slope(o.sizes, busy)
	return figure.New(what, max(byClock, byProcessor), figure.UnitExponent, barSlope, append([]string{
		fmt.Sprintf("by the clock, exponent %s: %s", figure.Number(byClock), strings.Join(times, ", ")),
		fmt.Sprintf("by the processors of this process, exponent %s: %s for an access", figure.Number(byProcessor), strings.Join(used, ", ")),
	}, notes...)...)
}

// requests says what was asked for an access in its life.
func (o *oneClaim) requests() string {
	parts := make([]string, len(o.sizes))
	for i, size := range o.sizes {
		accesses := size * len(o.created[i])
		parts[i] = fmt.Sprintf("of %d, %s writes, %s reads, %s conflicts, %s calls", size,
			figure.Number(per(total(o.asked[i].writes()), accesses)), figure.Number(per(total(o.asked[i].reads()), accesses)),
			figure.Number(per(o.asked[i].conflicts, accesses)), figure.Number(per(total(o.asked[i].calls), accesses)))
	}
	return "for an access, from its creation to its end: " + strings.Join(parts, "; ")
}
