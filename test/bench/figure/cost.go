package figure

import (
	"runtime"
	"syscall"
	"time"
)

// Cost is the time that something took. On a busy machine the CPU time tells more.
type Cost struct {
	Elapsed time.Duration
	// CPU is the CPU time of this process.
	CPU time.Duration
}

// Measure calls a function and returns its cost, without the collection of earlier
// garbage.
func Measure(do func() error) (Cost, error) {
	runtime.GC()
	begin, used := time.Now(), CPU()
	err := do()
	return Cost{Elapsed: time.Since(begin), CPU: CPU() - used}, err
}

// AllElapsed returns the elapsed times.
func AllElapsed(costs []Cost) []time.Duration {
	return each(costs, func(c Cost) time.Duration { return c.Elapsed })
}

// AllCPU returns the CPU times.
func AllCPU(costs []Cost) []time.Duration {
	return each(costs, func(c Cost) time.Duration { return c.CPU })
}

func each(costs []Cost, part func(Cost) time.Duration) []time.Duration {
	times := make([]time.Duration, len(costs))
	for i, c := range costs {
		times[i] = part(c)
	}
	return times
}

// CPU returns the processor time that this process has used.
func CPU() time.Duration {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0 // which the system never does
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
