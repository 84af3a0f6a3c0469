// Package component runs one part of an emulator in incarnations: it starts, stops, crashes and
// restarts alone, and the journal records each step. The seams of an incarnation are fenced when it
// ends.
package component

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/seam"
)

// ErrWrongState is the error of an operation that the state of a component does
// not allow, such as starting it twice.
var ErrWrongState = errors.New("the component is in the wrong state")

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

// Factory creates the runner of one incarnation, whose requests must all cross the incarnation's
// seams. The context ends when the runner is ready.
type Factory func(context.Context, *seam.Incarnation) (Runner, error)

// Options describe a component.
type Options struct {
	// Name is the name of the component, as in the journal.
	Name    string
	Journal *journal.Journal
	Create  Factory
	// Failed is called when the component exits by itself.
	Failed func(error)
	// Faults apply to the operations of the component. Hooks implement their further effects,
	// except Crashed, which each incarnation has of its own.
	Faults *fault.Set
	Hooks  seam.Hooks
	// Earlier is the number of incarnations that the journal already has.
	Earlier int
	// LoseData deletes the data that outlive incarnations; nil without any.
	LoseData DataLoss
	// Supervised restarts the component when it exits.
	Supervised bool
	// MustWork makes the exit of a supervised component that has never crossed a seam a failure: a
	// restart does not mend its command line.
	MustWork bool
	// Stopped is wrapped by the error of WaitReady if Start soon returns the reason.
	Stopped error
}

// Component is a part of the emulator that can be stopped, started and crashed alone.
// It is safe for concurrent use; operations on one component run one after another.
type Component struct {
	options Options

	operation sync.Mutex     // held during Start, Stop and Crash
	watchers  sync.WaitGroup // one for each incarnation, until it has ended
	restarts  sync.WaitGroup // one for each crash by a fault, until it is over
	causing   chan struct{}  // has an element while something that ends an incarnation, or its end, is recorded

	mu            sync.Mutex
	state         State
	incarnations  int
	current       *incarnation
	dying         *incarnation       // the last one killed by a fault
	cancelRestart context.CancelFunc // cancels the latest restart
	restarting    int                // number of restarts in progress
	excused       int                // the number of the incarnation whose exit is no failure
	crashLoop     time.Duration      // pause before the next restart of a supervised component
	closed        bool               // set when the emulator stops
}

// New returns a stopped component.
func New(options Options) *Component {
	return &Component{
		options: options, incarnations: options.Earlier, state: stateStopped, cancelRestart: func() {}, causing: make(chan struct{}, 1),
	}
}

// Name returns the name of the component, as in the journal.
func (c *Component) Name() string { return c.options.Name }

// State returns the state of the component and the number of its incarnations so far.
func (c *Component) State() (state State, incarnation int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state, c.incarnations
}
