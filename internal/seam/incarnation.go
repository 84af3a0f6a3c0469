// Package seam intercepts the connections of COSI components: to the API server, between sidecar
// and driver, and to the S3 store. It records each operation in the journal. It can fence a
// component, as if its process had been killed.
//
// The components are unaware of it. They get a rest.Config, dial options, server options or an HTTP
// middleware from this package.
package seam

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// ErrFenced is the error of every operation after the component was fenced.
var ErrFenced = errors.New("the component has crashed: it is fenced off")

// OutcomeFenced is the outcome of an operation that the fence interrupted. As with a
// killed process, it is unknown whether the other side acted on it.
const OutcomeFenced = "Fenced"

// Incarnation is one run of a component, from its start to its stop or crash. Every
// operation of the component belongs to one. It is safe for concurrent use.
type Incarnation struct {
	component string
	number    int
	journal   *journal.Journal
	faults    *fault.Set // nil without faults
	hooks     Hooks

	ctx context.Context //nolint:containedctx // done when the incarnation is fenced
	end context.CancelFunc

	inFlight sync.WaitGroup
	clock    atomic.Pointer[fault.Applied] // the fault that last changed it, usually nil

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

// Record records a step in the life of the component in the journal.
func (i *Incarnation) Record(step string, err error) {
	e := i.journal.Begin(i.component, i.number, journal.SeamProcess, journal.Operation{Name: step})
	e.Outcome = journal.OutcomeOK
	if err != nil {
		e.Outcome, e.Message = "Error", err.Error()
	}
	i.journal.Append(e)
}

// RecordText is Record for a step that has a text and no error.
func (i *Incarnation) RecordText(step, text string) {
	e := i.journal.Begin(i.component, i.number, journal.SeamProcess, journal.Operation{Name: step})
	e.Outcome, e.Message = journal.OutcomeOK, text
	i.journal.Append(e)
}

// Fence cuts the component off. Operations in flight are cancelled, and later ones fail with
// ErrFenced. After Fence returns, no request of this incarnation reaches the other side of a seam.
// It may be called more than once.
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

// atEnd registers a function to call when the incarnation is fenced.
func (i *Incarnation) atEnd(f func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.ending = append(i.ending, f)
}

// Cross makes a call as an operation of a seam, for seams without an interceptor in
// this package. The function code names the outcome of a failed call. Cross returns
// ErrFenced without a call if the component is fenced.
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

// operation is an operation in progress at a seam.
type operation struct {
	incarnation *Incarnation
	event       journal.Event
	cancel      context.CancelFunc
	applied     *fault.Applied // nil if no fault applies
}

// side is the end of a call that crosses the seam.
type side bool

const (
	caller side = false
	server side = true
)

// enter starts an operation. The returned context ends with the given one, and when the component
// is fenced. Every operation must be ended with exit.
func (i *Incarnation) enter(
	ctx context.Context, s journal.Seam, op journal.Operation, end side,
) (*operation, context.Context, error) {
	if !i.admit() {
		return nil, nil, ErrFenced
	}
	c, ctx := i.begin(ctx, s, op, i.faultAt(s, op, end))
	return c, ctx, nil
}

// admit admits an operation, unless the component is fenced. An admitted operation
// must be ended.
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

// enterIfFaulty starts an operation only if a fault applies to it, and reports whether one does.
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

func (o *operation) exit(outcome, message string) {
	o.record(outcome, message)
	o.cancel()
}

// record ends the operation, but keeps its context for a response that still streams.
// The caller must call cancel at the end.
func (o *operation) record(outcome, message string) {
	if outcome != journal.OutcomeOK && o.incarnation.ctx.Err() != nil {
		outcome = OutcomeFenced
	}
	o.event.Outcome, o.event.Message = outcome, message
	o.incarnation.journal.Append(o.event)
	o.incarnation.inFlight.Done()
}
