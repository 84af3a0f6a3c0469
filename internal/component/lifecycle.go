// The life cycle of a component is a state machine. A cell is the state after the event; "-" means
// that the event is rejected with ErrWrongState. A component keeps its state until the start ends,
// with the event ready or startFailed.
//
//	event        Stopped  Running  Crashed  Failed   who causes it
//	start        Stopped  -        Crashed  Failed   Start
//	restart      -        -        Crashed  Failed   the emulator, after a crash by a fault or an excused exit
//	ready        Running  -        Running  Running  the runner, when it is ready
//	startFailed  Failed   -        Failed   Failed   the runner, or a fault that kills it before it is ready
//	stop         Stopped  Stopped  Stopped  Failed   Stop
//	crash        -        Crashed  -        -        Crash
//	kill         -        Crashed  -        -        a fault
//	exit         -        Failed   -        -        the runner, when it returns by itself
//	forget       Stopped  -        Crashed  Failed   Forget

package component

import (
	"fmt"

	"github.com/cosi-emu/cosi-emu/emulator/description"
)

// State is the state of a component in its life cycle.
type State = description.State

const (
	stateStopped = description.StateStopped
	stateRunning = description.StateRunning
	stateCrashed = description.StateCrashed
	stateFailed  = description.StateFailed
)

// lifecycleEvent can change the state of a component.
type lifecycleEvent string

const (
	eventStart       lifecycleEvent = "start"
	eventRestart     lifecycleEvent = "restart"
	eventReady       lifecycleEvent = "ready"
	eventStartFailed lifecycleEvent = "startFailed"
	eventStop        lifecycleEvent = "stop"
	eventCrash       lifecycleEvent = "crash"
	eventKill        lifecycleEvent = "kill"
	eventExit        lifecycleEvent = "exit"
	eventForget      lifecycleEvent = "forget"
)

var transitions = map[lifecycleEvent]map[State]State{
	eventStart:       {stateStopped: stateStopped, stateCrashed: stateCrashed, stateFailed: stateFailed},
	eventRestart:     {stateCrashed: stateCrashed, stateFailed: stateFailed},
	eventReady:       {stateStopped: stateRunning, stateCrashed: stateRunning, stateFailed: stateRunning},
	eventStartFailed: {stateStopped: stateFailed, stateCrashed: stateFailed, stateFailed: stateFailed},
	eventStop:        {stateStopped: stateStopped, stateRunning: stateStopped, stateCrashed: stateStopped, stateFailed: stateFailed},
	eventCrash:       {stateRunning: stateCrashed},
	eventKill:        {stateRunning: stateCrashed},
	eventExit:        {stateRunning: stateFailed},
	eventForget:      {stateStopped: stateStopped, stateCrashed: stateCrashed, stateFailed: stateFailed},
}

// transition is the only function that changes the state of the component. It returns the
// incarnation that ran before, or nil. Afterwards i runs, which is nil for all events except ready.
// If the table rejects the event, the error is ErrWrongState and nothing changes. The caller holds
// mu.
func (c *Component) transition(e lifecycleEvent, i *incarnation) (before *incarnation, err error) {
	next, ok := transitions[e][c.state]
	switch {
	case ok:
		before, c.state, c.current = c.current, next, i
		return before, nil
	case c.state == stateRunning:
		return nil, fmt.Errorf("%w: it is running", ErrWrongState)
	default:
		return nil, fmt.Errorf("%w: it is not running", ErrWrongState)
	}
}

// handle is transition for callers that do not hold mu. Afterwards no incarnation runs.
func (c *Component) handle(e lifecycleEvent) (before *incarnation, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.transition(e, nil)
}
