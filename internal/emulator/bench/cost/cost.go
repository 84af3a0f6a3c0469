// Package cost measures what something took: by the clock, and of the processors,
// which on a busy machine tells more.
package cost

import (
	"runtime"
	"syscall"
	"time"
)

// Cost is what something took.
type Cost struct {
	// Elapsed is by the clock.
	Elapsed time.Duration
	// CPU is the time of the processors in this process.
	CPU time.Duration
}

// Of does something and says what it cost. Garbage of what came before is not a
// part of that.
func Of(do func() error) (Cost, error) {
	runtime.GC()
	begin, used := time.Now(), CPU()
	err := do()
	return Cost{Elapsed: time.Since(begin), CPU: CPU() - used}, err
}

// CPU returns how much time of the processors this process has used.
func CPU() time.Duration {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0 // which the system never does
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// AllElapsed returns the times by the clock.
func AllElapsed(costs []Cost) []time.Duration {
	return each(costs, func(c Cost) time.Duration { return c.Elapsed })
}

// AllCPU returns the times of the processors.
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
