package scale

import (
	"context"
	"errors"
	"fmt"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/test/bench/figure"
)

const (
	// sizeStep is how many more pairs the next size has, and mostSizes how many sizes there are.
	sizeStep  = 10
	mostSizes = 4
	// further is how many pairs are created and deleted among the pairs of a size.
	further = 50
	// otherDriver has none of the pairs.
	otherDriver = "other.cosi-emu"
)

// sizeResult has the measurements among a number of pairs.
type sizeResult struct {
	pairs  int
	server float64 // bytes of live objects of an API server in this process; 0 if it is not
	// The costs of starting a component that has the pairs to look after.
	controller, own, other startResult
	// What further pairs cost.
	asked requestCounts
	cost  figure.Cost
}

// startResult is the cost of starting a component.
type startResult struct {
	memory float64     // bytes of live objects
	list   figure.Cost // until its caches have everything
	first  figure.Cost // until it has looked at everything once
	asked  requestCounts
}

// MeasureSizes measures the cost of a pair among a few others, and among more and more, up to
// Load.Most, and compares a linear model with the largest number.
func MeasureSizes(ctx context.Context, opts Options, progress func(string)) (figures []figure.Figure, err error) {
	err = withEnvironment(ctx, opts, func(s *environment) error {
		results, err := s.measureSizes(ctx, opts, progress)
		figures = sizeFigures(results)
		return err
	})
	return figures, err
}

// sizesUpTo returns the sizes, the largest last.
func sizesUpTo(most int) (sizes []int) {
	for size := most; size > 0 && len(sizes) < mostSizes; size /= sizeStep {
		sizes = append([]int{size}, sizes...)
	}
	return sizes
}

func (e *environment) measureSizes(ctx context.Context, opts Options, progress func(string)) ([]sizeResult, error) {
	namespace, err := CreateNamespace(ctx, e.admin, "scale-")
	if err != nil {
		return nil, err
	}
	var p *pattern
	m := newRequestCounter()
	err = e.withComponents(ctx, m, func() error {
		if err := e.warmUp(ctx, m); err != nil {
			return err
		}
		p, err = e.newPattern(ctx, m, namespace)
		return err
	})
	if err != nil {
		return nil, err
	}
	empty := heapInUse().objects
	var results []sizeResult
	there := 1 // the pattern
	for _, size := range sizesUpTo(opts.Most) {
		progress(fmt.Sprintf("%d claims with accesses", size))
		first := there
		err := concurrently(ctx, creators, max(0, size-there), func(ctx context.Context, i int) error { return e.copy(ctx, p, first+i) })
		if err != nil {
			return nil, err
		}
		there = max(there, size)
		result := sizeResult{pairs: size}
		if opts.ControlPlane == emulator.ControlPlaneEmbedded {
			result.server = heapInUse().objects - empty
		}
		if err := e.measureSize(ctx, &result); err != nil {
			return nil, err
		}
		results = append(results, result)
	}
	return results, nil
}

// measureSize starts each component by itself, and then all of them, for further pairs.
func (e *environment) measureSize(ctx context.Context, result *sizeResult) (err error) {
	result.controller, err = e.measureStart(ctx, func(m *requestCounter) (*components, error) {
		c := newComponents(ctx)
		if err := c.startController(ctx, e, m); err != nil {
			return nil, err
		}
		return c, nil
	})
	for name, to := range map[string]*startResult{fakedriver.DefaultName: &result.own, otherDriver: &result.other} {
		if err == nil {
			*to, err = e.measureStart(ctx, func(m *requestCounter) (*components, error) { return e.startSidecar(ctx, m, name) })
		}
	}
	if err != nil {
		return err
	}
	m := newRequestCounter()
	return e.withComponents(ctx, m, func() error {
		if err := m.awaitIdle(ctx); err != nil {
			return err
		}
		namespace, err := CreateNamespace(ctx, e.admin, "scale-")
		if err != nil {
			return err
		}
		before := m.read()
		b := batch{namespace: namespace, count: further}
		result.cost, err = figure.Measure(func() error { return e.create(ctx, b) })
		if err := errors.Join(err, m.awaitIdle(ctx)); err != nil {
			return err
		}
		result.asked = m.read().since(before)
		if err := e.remove(ctx, b); err != nil {
			return err
		}
		return m.awaitIdle(ctx)
	})
}

// measureStart starts a component among the pairs, which have all that they need.
func (e *environment) measureStart(ctx context.Context, start func(*requestCounter) (*components, error)) (result startResult, err error) {
	before := heapInUse()
	m := newRequestCounter()
	var c *components
	result.list, err = figure.Measure(func() (err error) {
		c, err = start(m)
		return err
	})
	if err != nil {
		return result, err
	}
	result.first, err = figure.Measure(func() error { return m.awaitIdle(ctx) })
	result.memory = heapInUse().objects - before.objects
	result.asked = m.read()
	return result, errors.Join(err, c.stop())
}
