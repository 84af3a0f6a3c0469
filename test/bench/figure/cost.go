package figure

import (
	"fmt"
	"runtime"
	"slices"
	"syscall"
	"time"
)

// Cost is the time and the memory that something took. On a busy machine the CPU time tells more.
type Cost struct {
	Elapsed time.Duration
	// CPU is the CPU time of this process.
	CPU time.Duration
	// Allocations and Bytes are how much this process allocated.
	Allocations, Bytes uint64
}

// Measure calls a function and returns its cost, without the collection of earlier
// garbage.
func Measure(do func() error) (Cost, error) {
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	begin, used := time.Now(), CPU()
	err := do()
	cost := Cost{Elapsed: time.Since(begin), CPU: CPU() - used}
	runtime.ReadMemStats(&after)
	cost.Allocations, cost.Bytes = after.Mallocs-before.Mallocs, after.TotalAlloc-before.TotalAlloc
	return cost, err
}

// AllElapsed returns the elapsed times.
func AllElapsed(costs []Cost) []time.Duration {
	return each(costs, func(c Cost) time.Duration { return c.Elapsed })
}

// AllCPU returns the CPU times.
func AllCPU(costs []Cost) []time.Duration {
	return each(costs, func(c Cost) time.Duration { return c.CPU })
}

func each[T any](costs []Cost, part func(Cost) T) []T {
	parts := make([]T, len(costs))
	for i, c := range costs {
		parts[i] = part(c)
	}
	return parts
}

// PerOperation renders the medians of what each of a number of equal operations took.
func PerOperation(costs []Cost, operations int) string {
	median := func(part func(Cost) uint64) float64 {
		all := each(costs, part)
		slices.Sort(all)
		return float64(all[len(all)/2]) / float64(operations)
	}
	return fmt.Sprintf("%.0f us, %.0f allocations, %.1f kB",
		median(func(c Cost) uint64 { return uint64(c.CPU.Nanoseconds()) })/1e3, //nolint:gosec // no time is negative
		median(func(c Cost) uint64 { return c.Allocations }), median(func(c Cost) uint64 { return c.Bytes })/1e3)
}

// CPU returns the processor time that this process has used.
func CPU() time.Duration {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0 // which the system never does
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
