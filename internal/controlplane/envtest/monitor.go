//go:build unix

package envtest

import (
	"context"
	"time"
)

const monitorInterval = 250 * time.Millisecond

// monitor notices when a component ends by itself. It polls, because envtest waits for its
// processes but reports nothing.
type monitor struct {
	failed chan error
	// alive ends with the first failure, which is its cause.
	alive context.Context //nolint:containedctx // a broadcast, not a call's context
	fail  context.CancelCauseFunc

	quit chan struct{}
	done chan struct{}
}

func startMonitor(components []*component) *monitor {
	m := &monitor{
		failed: make(chan error, len(components)),
		quit:   make(chan struct{}),
		done:   make(chan struct{}),
	}
	m.alive, m.fail = context.WithCancelCause(context.Background())
	go m.run(components)
	return m
}

func (m *monitor) run(components []*component) {
	defer close(m.done)
	tick := time.NewTicker(monitorInterval)
	defer tick.Stop()
	for {
		select {
		case <-m.quit:
			return
		case <-tick.C:
		}
		for _, component := range components {
			if err := component.checkExit(); err != nil {
				m.report(err)
			}
		}
	}
}

// report does not wait for a reader: the channel has room for a failure of each component.
func (m *monitor) report(err error) {
	m.fail(err)
	select {
	case m.failed <- err:
	default:
	}
}

func (m *monitor) stop() {
	close(m.quit)
	<-m.done
	m.fail(context.Canceled)
}
