// Package seam cuts into the places where the components of COSI meet the rest
// of the world: their API connections, the gRPC connection between sidecar and
// driver, and the S3 store. What passes is recorded in the journal, and a
// component can be fenced off at an instant, as if its process had been killed.
//
// The components themselves know nothing of it. They are given a rest.Config,
// dial options, server options or an HTTP middleware from here.
package seam

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// ErrFenced is the error of everything that a component attempts after it has
// been fenced.
var ErrFenced = errors.New("the component has crashed: it is fenced off")

// OutcomeFenced is the outcome of an operation that the fence has cut off. Whether
// the other side has acted on it is not known, as with a killed process.
const OutcomeFenced = "Fenced"

// Incarnation is one run of a component, from its start to its stop or crash.
// Every operation of the component belongs to one. It is safe for
// concurrent use.
type Incarnation struct {
	component string
	number    int
	journal   *journal.Journal
	faults    *fault.Set // nil: there never are any
	hooks     Hooks

	ctx context.Context //nolint:containedctx // done when the incarnation is fenced
	end context.CancelFunc

	inFlight sync.WaitGroup
	clock    atomic.Pointer[fault.Applied] // the latest that has changed it; nil nearly always

	mu     sync.Mutex
	fenced bool
	ending []func()
}

// NewIncarnation starts an incarnation of a component. Numbers count from 1. The caller must
// end every Incarnation with Fence.
func NewIncarnation(j *journal.Journal, component string, number int) *Incarnation {
	ctx, cancel := context.WithCancel(context.Background())
	return &Incarnation{component: component, number: number, journal: j, ctx: ctx, end: cancel}
}

// Component returns the name of the component.
func (i *Incarnation) Component() string { return i.component }

// Number returns the number of the incarnation, from 1.
func (i *Incarnation) Number() int { return i.number }

// Record puts a step in the life of the component into the journal.
func (i *Incarnation) Record(step string, err error) {
	e := i.journal.Begin(i.component, i.number, journal.SeamProcess, journal.Operation{Name: step})
	e.Outcome = journal.OutcomeOK
	if err != nil {
		e.Outcome, e.Message = "Error", err.Error()
	}
	i.journal.Append(e)
}

// Fence cuts the component off: what it has in flight is aborted, what it
// attempts from now on fails with ErrFenced. When Fence returns, nothing of
// this incarnation reaches the other side of any seam any more. It may be called
// more than once.
func (i *Incarnation) Fence() {
	i.mu.Lock()
	i.fenced = true
	ending := i.ending
	i.ending = nil
	i.mu.Unlock()
	i.end()
	i.inFlight.Wait()
	for _, end := range ending {
		end()
	}
}

// atEnd has a function called when the incarnation is fenced.
func (i *Incarnation) atEnd(f func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.ending = append(i.ending, f)
}

// Cross makes a call as an operation of a seam, for seams that this package has no
// interceptor for. The outcome of a failed call is named by code. It returns
// ErrFenced, without calling, when the component is fenced.
func (i *Incarnation) Cross(
	ctx context.Context, s journal.Seam, op journal.Operation, code func(error) string, call func(context.Context) error,
) error {
	if i.faults.Bypassed() {
		return call(ctx)
	}
	c, ctx, err := i.enter(ctx, s, op, caller)
	if err != nil {
		return err
	}
	if err := c.call(ctx, call); err != nil {
		c.exit(code(err), err.Error())
		return err
	}
	c.exit(journal.OutcomeOK, "")
	return nil
}

// operation is an operation at a seam that has started and not ended.
type operation struct {
	incarnation *Incarnation
	event       journal.Event
	cancel      context.CancelFunc
	applied     *fault.Applied // the fault that applies; nearly always nil
}

// side is which end of a call crosses.
type side bool

const (
	caller side = false
	server side = true
)

// enter begins an operation. The returned context ends with the given one, and
// when the component is fenced. Every operation must be ended with exit.
func (i *Incarnation) enter(
	ctx context.Context, s journal.Seam, op journal.Operation, end side,
) (*operation, context.Context, error) {
	if !i.admit() {
		return nil, nil, ErrFenced
	}
	c, ctx := i.begin(ctx, s, op, i.faultAt(s, op, end))
	return c, ctx, nil
}

// admit lets an operation begin, unless the component is fenced. What was admitted
// has to be ended.
func (i *Incarnation) admit() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.fenced {
		return false
	}
	i.inFlight.Add(1)
	return true
}

// faultAt counts an operation, and returns the fault that applies to it, if any.
func (i *Incarnation) faultAt(s journal.Seam, op journal.Operation, end side) *fault.Applied {
	return i.faults.At(fault.Operation{
		Seam: s, Component: i.component, Operation: op.Name, Subject: op.Subject, Serving: bool(end),
	})
}

// faultName is the key of the name in a context of WithFault.
type faultName struct{}

// WithFault returns a context for operations that a fault makes. Their events have its name.
func WithFault(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, faultName{}, name)
}

func (i *Incarnation) begin(
	ctx context.Context, s journal.Seam, op journal.Operation, applied *fault.Applied,
) (*operation, context.Context) {
	ctx, cancel := context.WithCancelCause(ctx)
	unlink := context.AfterFunc(i.ctx, func() { cancel(ErrFenced) })
	c := &operation{
		incarnation: i,
		event:       i.journal.Begin(i.component, i.number, s, op),
		cancel:      func() { unlink(); cancel(nil) },
		applied:     applied,
	}
	if c.applied != nil && !c.applied.RecordOnly {
		c.event.Fault = c.applied.Name
	} else if name, ok := ctx.Value(faultName{}).(string); ok {
		c.event.Fault = name
	}
	return c, ctx
}

// enterIfFaulty begins an operation of something that is only worth one if a fault applies to
// it, and reports whether one does.
func (i *Incarnation) enterIfFaulty(ctx context.Context, s journal.Seam, op journal.Operation) (*operation, context.Context, bool) {
	if !i.admit() {
		return nil, nil, false
	}
	applied := i.faultAt(s, op, caller)
	if applied == nil {
		i.inFlight.Done()
		return nil, nil, false
	}
	c, ctx := i.begin(ctx, s, op, applied)
	return c, ctx, true
}

// exit ends the operation with its outcome, and its context.
func (c *operation) exit(outcome, message string) {
	c.record(outcome, message)
	c.cancel()
}

// record ends the operation, but leaves its context alive for what still streams
// in. The caller has to call cancel in the end.
func (c *operation) record(outcome, message string) {
	if outcome != journal.OutcomeOK && c.incarnation.ctx.Err() != nil {
		outcome = OutcomeFenced
	}
	c.event.Outcome, c.event.Message = outcome, message
	c.incarnation.journal.Append(c.event)
	c.incarnation.inFlight.Done()
}
