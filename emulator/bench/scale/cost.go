package scale

import (
	"context"
	"runtime"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

// cost is what something took: the time by the clock, and the time of the
// processors in this process, where the components run.
type cost struct{ elapsed, cpu time.Duration }

// timed does something and says what it cost. Garbage of what came before is not
// a part of that.
func timed(do func() error) (cost, error) {
	runtime.GC()
	begin, used := time.Now(), cpuTime()
	err := do()
	return cost{elapsed: time.Since(begin), cpu: cpuTime() - used}, err
}

// cpuTime returns how much time of the processors this process has used.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0 // which the system never does
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

const (
	// idleWindow is how long a process must have done nearly nothing to be idle,
	// and idleShare is what nearly nothing is, of one processor.
	idleWindow = 400 * time.Millisecond
	idleShare  = 0.05
	// idleTimeout is how long that may take.
	idleTimeout = 2 * time.Minute
)

// awaitIdle waits until the components have nothing left to do: they ask for
// nothing, and this process uses no time.
func (m *meter) awaitIdle(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, idleTimeout)
	defer cancel()
	count, used := -1, time.Duration(0)
	return wait.PollUntilContextCancel(ctx, idleWindow, true, func(context.Context) (bool, error) {
		now, spent := m.read(), cpuTime()-used
		calm := total(now.requests)+total(now.calls) == count && spent < time.Duration(idleShare*float64(idleWindow))
		count, used = total(now.requests)+total(now.calls), used+spent
		return calm, nil
	})
}
