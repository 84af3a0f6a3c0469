package instance

import (
	"context"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/cosi-emu/cosi-emu/internal/sidecar/connection"
)

// driverWatch reconciles all pending objects again when the driver has reconnected: those whose
// calls failed meanwhile, and those that it had rejected, because it may be a newer version now.
type driverWatch struct {
	driver   *connection.Conn
	logger   logr.Logger
	triggers []trigger
}

// Start implements manager.Runnable. It fails, and with it the sidecar, when another driver
// answers.
func (w *driverWatch) Start(ctx context.Context) error {
	return w.driver.Watch(ctx, func() {
		w.logger.Info("the driver has reconnected", "driver", w.driver.Name())
		for _, a := range w.triggers {
			a.fire()
		}
	})
}

// NeedLeaderElection implements manager.LeaderElectionRunnable: a standby must know its driver,
// too.
func (*driverWatch) NeedLeaderElection() bool { return false }

// A trigger causes a reconcile of the objects that a function lists. Further events while one is
// pending have no effect.
type trigger chan event.TypedGenericEvent[struct{}]

func newTrigger() trigger { return make(trigger, 1) }

func (t trigger) fire() {
	select {
	case t <- event.TypedGenericEvent[struct{}]{}:
	default:
	}
}

func (t trigger) source(requests func(context.Context) []reconcile.Request) source.Source {
	return source.Channel(t.fired(),
		handler.TypedEnqueueRequestsFromMapFunc(func(ctx context.Context, _ struct{}) []reconcile.Request { return requests(ctx) }))
}

func (t trigger) fired() <-chan event.TypedGenericEvent[struct{}] { return t }
