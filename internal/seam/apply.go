package seam

import (
	"cmp"
	"context"
	"errors"
	"net/http"

	"google.golang.org/protobuf/proto"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// Hooks implement the effects that reach beyond the operation or beyond one component. They are
// called during the operation, and must not wait for it.
type Hooks struct {
	// Crashed is called once when a fault crashes the component. The component is fenced,
	// and its requests in flight are being cancelled. Fence waits for them.
	Crashed func(by *fault.Applied)
	// Outage kills a process of the control plane. It returns when the process has ended.
	Outage func(by *fault.Applied)
	// LeaseLost makes another holder acquire the component's Lease. It returns when that
	// holder has it.
	LeaseLost func(by *fault.Applied)
	// Interfere changes objects of the API server, and returns when they have changed. The
	// context has the name of the fault; see WithFault.
	Interfere func(ctx context.Context, by *fault.Applied)
	// Returned is called with a driver's response for an account or bucket, even if a fault loses
	// it. It contains secrets.
	Returned func(component, subject string, response proto.Message)
	// Tombstones are the deletions that components have seen, for stale reads; nil if no fault
	// needs them.
	Tombstones *Tombstones
	// Past sends the requests for the past of an object that the component may get; nil means the
	// component's own connection. The API server serves the past only as lists, and a component that gets an
	// object need not have the right to list.
	Past http.RoundTripper
}

// Inject applies the faults of a set to the operations of this incarnation. It must be
// called before the first operation.
func (i *Incarnation) Inject(faults *fault.Set, hooks Hooks) {
	i.faults, i.hooks = faults, hooks
}

// Begin records the start of the component in the journal. A fault can delay it or make it fail.
func (i *Incarnation) Begin(ctx context.Context) error {
	op := journal.Operation{Name: journal.StepStart}
	c, ctx := i.begin(ctx, journal.SeamProcess, op, i.faultAt(journal.SeamProcess, op, caller))
	defer c.cancel()
	c.event.Outcome = journal.OutcomeOK
	i.journal.Append(c.event)
	if err := c.apply(ctx); err != nil {
		return err
	}
	if e := c.effect(); e.Fail != "" {
		return errors.New(cmp.Or(e.Message, e.Fail))
	}
	return nil
}

// crash fences the component immediately, from within an operation.
func (i *Incarnation) crash(by *fault.Applied) {
	i.mu.Lock()
	dead := i.fenced
	i.fenced = true
	i.mu.Unlock()
	if dead {
		return
	}
	e := i.journal.Begin(i.component, i.number, journal.SeamProcess, journal.Operation{Name: journal.StepCrash})
	e.Outcome, e.Fault = journal.OutcomeOK, by.Name
	i.journal.Append(e)
	i.end()
	if i.hooks.Crashed != nil {
		i.hooks.Crashed(by)
	}
}

// errLost is the error of an operation that hung until its fault was removed.
var errLost = errors.New("the connection is lost")

// effect returns the effect of the fault on the operation; zero means none.
func (o *operation) effect() fault.Effect {
	if o.applied == nil || o.applied.RecordOnly {
		return fault.Effect{}
	}
	return o.applied.Effect
}

// apply applies the part of a fault that precedes the operation. On error the operation does not
// happen: ErrFenced, errLost, or the error of the context.
func (o *operation) apply(ctx context.Context) error {
	e := o.effect()
	if e.Delay > 0 {
		if o.applied.Wait(ctx, e.Delay) != nil {
			return ended(ctx)
		}
	}
	o.interfere(ctx, false)
	switch {
	case e.Hang:
		select {
		case <-ctx.Done():
			return ended(ctx)
		case <-o.applied.Done():
			return errLost
		}
	case e.Crash == fault.Before:
		o.incarnation.crash(o.applied)
		return ErrFenced
	case e.Outage != "" && o.incarnation.hooks.Outage != nil:
		o.incarnation.hooks.Outage(o.applied)
	case e.Clock != 0:
		o.incarnation.offsetClock(o.applied)
	case e.LoseLease > 0 && o.incarnation.hooks.LeaseLost != nil:
		o.incarnation.hooks.LeaseLost(o.applied)
	}
	return nil
}

// interfere changes objects, if the fault requires it before the operation, or after.
func (o *operation) interfere(ctx context.Context, after bool) {
	if e := o.effect(); e.Interfere != "" && e.After == after && o.incarnation.hooks.Interfere != nil {
		o.incarnation.hooks.Interfere(context.WithoutCancel(ctx), o.applied)
	}
}

// ended returns the reason for which a context ended, as an error that callers know.
func ended(ctx context.Context) error {
	if errors.Is(context.Cause(ctx), ErrFenced) {
		return ErrFenced
	}
	return ctx.Err()
}

// crashAfter crashes the component if the fault requires it after the operation, and reports
// whether it did.
func (o *operation) crashAfter() bool {
	if o.effect().Crash != fault.After {
		return false
	}
	o.incarnation.crash(o.applied)
	return true
}
