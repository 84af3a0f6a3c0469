package component

import (
	"errors"
	"testing"
)

// TestTransitions checks every event in every state. An empty cell is a rejected event.
func TestTransitions(t *testing.T) {
	states := [4]State{stateStopped, stateRunning, stateCrashed, stateFailed}
	cases := map[lifecycleEvent]struct {
		reason string
		want   [4]State
	}{
		eventStart:       {"A running component cannot start.", [4]State{stateStopped, "", stateCrashed, stateFailed}},
		eventRestart:     {"A stopped component stays stopped.", [4]State{"", "", stateCrashed, stateFailed}},
		eventReady:       {"Any start can succeed.", [4]State{stateRunning, "", stateRunning, stateRunning}},
		eventStartFailed: {"Any start can fail.", [4]State{stateFailed, "", stateFailed, stateFailed}},
		eventStop:        {"Stop is always allowed.", [4]State{stateStopped, stateStopped, stateStopped, stateFailed}},
		eventCrash:       {"Only what runs can crash.", [4]State{"", stateCrashed, "", ""}},
		eventKill:        {"Only what runs can be killed.", [4]State{"", stateCrashed, "", ""}},
		eventExit:        {"Only what runs can exit.", [4]State{"", stateFailed, "", ""}},
		eventForget:      {"A running component uses its data.", [4]State{stateStopped, "", stateCrashed, stateFailed}},
	}
	for e := range transitions {
		if _, ok := cases[e]; !ok {
			t.Errorf("no case for event %s", e)
		}
	}
	for e, tc := range cases {
		for i, from := range states {
			t.Run(string(e)+"/"+string(from), func(t *testing.T) { checkTransition(t, tc.reason, e, from, tc.want[i]) })
		}
	}
}

// checkTransition sends one event to a component; an empty want is a rejected event.
func checkTransition(t *testing.T, reason string, e lifecycleEvent, from, want State) {
	t.Helper()
	var current, next *incarnation
	if from == stateRunning {
		current = &incarnation{}
	}
	if e == eventReady {
		next = &incarnation{}
	}
	c := &Component{state: from, current: current}
	before, err := c.transition(e, next)
	if want == "" {
		if !errors.Is(err, ErrWrongState) || c.state != from || c.current != current {
			t.Errorf("%s\ntransition() = %v, state %s; want ErrWrongState, state %s and the same incarnation", reason, err, c.state, from)
		}
		return
	}
	if err != nil || c.state != want || c.current != next || before != current {
		t.Errorf("%s\ntransition() = %v, state %s; want state %s, and the incarnation of the event", reason, err, c.state, want)
	}
}
