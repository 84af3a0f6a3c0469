package scale

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/cosi-emu/cosi-emu/test/bench/figure"
)

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
func (m *requestCounter) awaitIdle(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, idleTimeout)
	defer cancel()
	count, used := -1, time.Duration(0)
	return wait.PollUntilContextCancel(ctx, idleWindow, true, func(context.Context) (bool, error) {
		now, spent := m.read(), figure.CPU()-used
		calm := total(now.requests)+total(now.calls) == count && spent < time.Duration(idleShare*float64(idleWindow))
		count, used = total(now.requests)+total(now.calls), used+spent
		return calm, nil
	})
}
