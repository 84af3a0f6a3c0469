package scale

import (
	"context"
	"fmt"
	"runtime"

	"github.com/cosi-emu/cosi-emu/test/bench/figure"
)

// barMemory is how many kilobytes, of a thousand bytes, a pair may take in the
// memory of controller and sidecar together.
const barMemory = 20

// heap is the memory in use after a garbage collection.
type heap struct {
	objects float64 // bytes of live objects
	spans   float64 // bytes of the memory that they are spread over
}

// heapInUse collects garbage twice: an object that has a finalizer, or is in a pool, survives the
// first time.
func heapInUse() heap {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return heap{objects: float64(stats.HeapAlloc), spans: float64(stats.HeapInuse)}
}

// measureMemory compares the heap without and with the pairs in place. Besides
// the components there are the driver, which remembers nothing, and the client
// that has created the pairs, which keeps none of them.
func measureMemory(ctx context.Context, opts Options, progress func(string)) ([]figure.Figure, error) {
	progress(fmt.Sprintf("memory of %d claims and accesses", opts.Pairs))
	var before, after, later heap
	err := withEnvironment(ctx, opts, func(s *environment) error {
		m := newRequestCounter()
		return s.withComponents(ctx, m, func() (err error) {
			before, after, later, err = s.weigh(ctx, m, opts.Pairs)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	return []figure.Figure{memoryFigure(opts.Pairs, before, after, later)}, nil
}

// weigh looks at the heap before there are pairs, with them, and when they are
// gone.
func (e *environment) weigh(ctx context.Context, m *requestCounter, pairs int) (before, after, later heap, err error) {
	if err := e.warmUp(ctx, m); err != nil {
		return before, after, later, err
	}
	namespace, err := CreateNamespace(ctx, e.admin, "scale-")
	if err != nil {
		return before, after, later, err
	}
	b := batch{namespace: namespace, count: pairs}
	before = heapInUse()
	if err := e.create(ctx, b); err != nil {
		return before, after, later, err
	}
	if err := m.awaitIdle(ctx); err != nil {
		return before, after, later, err
	}
	after = heapInUse()
	if err := e.remove(ctx, b); err != nil {
		return before, after, later, err
	}
	err = m.awaitIdle(ctx)
	return before, after, heapInUse(), err
}

func memoryFigure(pairs int, before, after, later heap) figure.Figure {
	const kilobyte, megabyte = 1e3, 1e6
	return figure.New("live memory of controller and sidecar for a claim with an access",
		(after.objects-before.objects)/float64(pairs)/kilobyte, figure.UnitKilobytes, barMemory,
		fmt.Sprintf("live objects: %.2f MB without, %.2f MB with %d pairs, %.2f MB when those were deleted",
			before.objects/megabyte, after.objects/megabyte, pairs, later.objects/megabyte),
		fmt.Sprintf("the memory that they are spread over: %.2f MB, %.2f MB, %.2f MB",
			before.spans/megabyte, after.spans/megabyte, later.spans/megabyte),
		"the recorder of client-go keeps each Event for 6 to 12 minutes, also of what is deleted, which is included")
}
