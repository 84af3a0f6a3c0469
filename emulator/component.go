package emulator

import (
	"context"

	cosicontroller "github.com/cosi-emu/cosi-emu/controller"
	"github.com/cosi-emu/cosi-emu/internal/component"
)

// ErrWrongState is the error of an operation that the state of a component does
// not allow, such as starting it twice.
var ErrWrongState = component.ErrWrongState

// ErrNothingKept is the error of Forget for a component without persistent data.
var ErrNothingKept = component.ErrNothingKept

// Runner is one incarnation of a component.
type Runner interface {
	// Start blocks until ctx is done or the component fails.
	Start(ctx context.Context) error
	// WaitReady returns when the component is ready.
	WaitReady(ctx context.Context) error
}

// Process is a Runner that can be killed, such as an operating system process. A crash calls Kill,
// and Start must return soon after. Other Runners are fenced, and then their context is cancelled.
type Process interface{ Kill() }

// Component is a part of the emulator that can be stopped, started and crashed alone.
// It is safe for concurrent use; operations on one component run one after another.
type Component struct {
	own    *component.Component
	create component.Factory           // also of a second replica
	remove func(context.Context) error // stops it, and removes it from the emulator
}

func newComponent(options component.Options) *Component {
	options.Stopped = cosicontroller.ErrStopped // also the sidecar's
	return &Component{own: component.New(options), create: options.Create}
}

// Name returns the name of the component, as in the journal.
func (c *Component) Name() string { return c.own.Name() }

// State returns the state of the component and the number of its incarnations so far.
func (c *Component) State() (state State, incarnation int) { return c.own.State() }

// Start starts a new incarnation of the component and returns when it is ready. If that fails, or
// ctx is done first, the component fails. If a fault kills the incarnation before it is ready,
// Start starts the next one. If the emulator is already restarting the component, Start skips the
// pause before the restart and waits for that incarnation. After the emulator has stopped, the
// error wraps ErrWrongState.
func (c *Component) Start(ctx context.Context) error { return c.own.Start(ctx) }

// Stop stops the component after its operations in flight have finished. If ctx is done first, Stop
// fences the component. Stopping a stopped component is no error.
func (c *Component) Stop(ctx context.Context) error { return c.own.Stop(ctx) }

// Crash ends the component like kill -9: it is fenced immediately, and loses its memory and all
// calls in flight.
func (c *Component) Crash() error { return c.own.Crash() }

// Restart stops the component, if it runs, and starts it again.
func (c *Component) Restart(ctx context.Context) error { return c.own.Restart(ctx) }

// Restarting reports whether the emulator is restarting the component after a fault or the loss of
// its Lease.
func (c *Component) Restarting() bool { return c.own.Restarting() }

// Forget deletes the data that a component keeps over its incarnations. A fake driver loses the
// buckets and accounts that it has provisioned; the store loses everything except the
// root key. The error is ErrNothingKept without such data, and ErrWrongState if the
// component runs. Forget cancels the restart after a crash by a fault.
func (c *Component) Forget(ctx context.Context) error { return c.own.Forget(ctx) }

// Remove stops a component that was added to a running emulator, such as a second replica, and removes
// it from the emulator.
func (c *Component) Remove(ctx context.Context) error { return c.remove(ctx) }
