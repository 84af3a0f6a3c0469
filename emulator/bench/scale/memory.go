package scale

import (
	"context"
	"fmt"
	"runtime"

	"github.com/cosi-emu/cosi-emu/emulator/bench/figure"
)

// barMemory is how many kilobytes, of a thousand bytes, a pair may take in the
// memory of controller and sidecar together.
const barMemory = 20

// heap is what is in use after everything else was collected.
type heap struct {
	objects float64 // bytes of live objects
	spans   float64 // bytes of the memory that they are spread over
}

// heapInUse collects garbage twice: what has a finalizer, or is in a pool,
// survives the first time.
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
func (s *site) measureMemory(ctx context.Context, m *meter, pairs int) (figure.Figure, error) {
	namespace, err := s.namespace(ctx)
	if err != nil {
		return figure.Figure{}, err
	}
	b, before := batch{namespace: namespace, count: pairs}, heapInUse()
	if err := s.create(ctx, b); err != nil {
		return figure.Figure{}, err
	}
	if err := m.awaitIdle(ctx); err != nil {
		return figure.Figure{}, err
	}
	after := heapInUse()
	if err := s.remove(ctx, b); err != nil {
		return figure.Figure{}, err
	}
	if err := m.awaitIdle(ctx); err != nil {
		return figure.Figure{}, err
	}
	return memoryFigure(pairs, before, after, heapInUse()), nil
}

func memoryFigure(pairs int, before, after, later heap) figure.Figure {
	const kilobyte, megabyte = 1e3, 1e6
	each := max(after.objects-before.objects, after.spans-before.spans) / float64(pairs) / kilobyte
	return figure.New("memory of controller and sidecar for a claim with an access", each, figure.UnitKilobytes, barMemory,
		fmt.Sprintf("live objects: %.2f MB without, %.2f MB with %d pairs, %.2f MB when they were deleted",
			before.objects/megabyte, after.objects/megabyte, pairs, later.objects/megabyte),
		fmt.Sprintf("memory they are spread over: %.2f MB, %.2f MB, %.2f MB",
			before.spans/megabyte, after.spans/megabyte, later.spans/megabyte))
}
