package component

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/seam"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// errStillUp means that a component has not been killed.
var errStillUp = errors.New("it is still up")

// die has the current incarnation of a stage's component make the call at which it is
// killed.
func (s *stage) die(t *testing.T) {
	t.Helper()
	run := s.incarnations[len(s.incarnations)-1]
	code := func(error) string { return "Error" }
	err := run.incarnation.Cross(t.Context(), journal.SeamStore, journal.Operation{Name: "DeleteBucket"}, code,
		func(context.Context) error { return errStillUp })
	if !errors.Is(err, seam.ErrFenced) {
		t.Fatalf("the call ends with %v, want ErrFenced", err)
	}
}

// deadly returns faults that kill the component at its call Die.
func deadly(t *testing.T, effect fault.Effect, times int) *fault.Set {
	t.Helper()
	set := fault.NewSet()
	match := fault.Match{Seam: journal.SeamStore, Operation: "DeleteBucket", Times: times}
	mustDo(t, set.Add(fault.Fault{Name: "f", Match: match, Effect: effect}))
	return set
}

// await waits until the component has started so many incarnations and is in a state.
func await(t *testing.T, c *Component, state State, incarnations int) {
	t.Helper()
	harness.Eventually(t, "the component is restarted", func(context.Context) error {
		if gotState, gotIncarnations := c.State(); gotState != state || gotIncarnations != incarnations {
			return fmt.Errorf("State() = %s, %d; want %s, %d", gotState, gotIncarnations, state, incarnations)
		}
		return nil
	})
}

func TestRestart(t *testing.T) {
	c, s := newStage(t)
	c.options.Faults = deadly(t, fault.Effect{Crash: fault.Before}, 2)
	mustDo(t, c.Start(t.Context()))
	s.die(t)
	await(t, c, stateRunning, 2)
	s.die(t)
	await(t, c, stateRunning, 3)
	mustDo(t, c.Stop(t.Context()))
	want := []string{"start", "ready", "crash", "start", "ready", "crash", "start", "ready", "stop"}
	if diff := cmp.Diff(want, s.steps()); diff != "" {
		t.Errorf("journal: -want, +got:\n%s", diff)
	}
	for _, e := range s.journal.Since(0) {
		if e.Operation.Name == "crash" && e.Fault != "f" {
			t.Errorf("%s does not name its fault", e)
		}
	}
}

// TestRestartStopped has a component that is down stay so when it is stopped, and
// come back at once when it is started, or its fault is removed.
func TestRestartStopped(t *testing.T) {
	tests := map[string]struct {
		reason       string
		do           func(*Component) error
		state        State
		incarnations int
	}{
		"Stop":  {"Stop cancels the restart.", func(c *Component) error { return c.Stop(context.Background()) }, stateStopped, 1},
		"Start": {"Start does not wait for the restart.", func(c *Component) error { return c.Start(context.Background()) }, stateRunning, 2},
		"Heal":  {"With the fault its consequence ends.", func(c *Component) error { c.options.Faults.Clear(); return nil }, stateRunning, 2},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			c, s := newStage(t)
			c.options.Faults = deadly(t, fault.Effect{Crash: fault.After, Down: time.Hour}, 1)
			mustDo(t, c.Start(t.Context()))
			s.die(t)
			await(t, c, stateCrashed, 1)
			mustDo(t, tc.do(c))
			await(t, c, tc.state, tc.incarnations)
			mustDo(t, c.Stop(t.Context()))
		})
	}
}

// TestRestartCutsOffCalls has what else is in flight at that instant be cut off.
func TestRestartCutsOffCalls(t *testing.T) {
	c, s := newStage(t)
	c.options.Faults = deadly(t, fault.Effect{Crash: fault.After}, 1)
	mustDo(t, c.Start(t.Context()))
	first := s.incarnations[0]
	inFlight := make(chan error)
	go func() { inFlight <- first.call(context.Background()) }()
	<-first.entered
	s.die(t)
	if err := <-inFlight; !errors.Is(err, seam.ErrFenced) {
		t.Errorf("the call in flight ended with %v, want ErrFenced", err)
	}
	await(t, c, stateRunning, 2)
	mustDo(t, c.Stop(t.Context()))
}

// TestRestartRetries has a component that cannot be started be tried again.
func TestRestartRetries(t *testing.T) {
	c, s := newStage(t)
	c.options.Faults = deadly(t, fault.Effect{Crash: fault.Before}, 1)
	mustDo(t, c.options.Faults.Add(fault.Fault{
		Name: "start", Match: fault.Match{Seam: journal.SeamProcess, Operation: "start", Nth: 2}, Effect: fault.Effect{Fail: "out of memory"},
	}))
	mustDo(t, c.Start(t.Context()))
	s.die(t)
	await(t, c, stateRunning, 3)
	mustDo(t, c.Stop(t.Context()))
	want := []string{"start", "ready", "crash", "start", "fail", "start", "ready", "stop"}
	if diff := cmp.Diff(want, s.steps()); diff != "" {
		t.Errorf("journal: -want, +got:\n%s", diff)
	}
}

// TestStartWithFault has a fault delay a start.
func TestStartWithFault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const delay = time.Hour
		c, _ := newStage(t)
		c.options.Faults = fault.NewSet()
		mustDo(t, c.options.Faults.Add(fault.Fault{
			Name: "slow", Match: fault.Match{Seam: journal.SeamProcess, Component: "actor"}, Effect: fault.Effect{Delay: delay},
		}))
		begin := time.Now()
		mustDo(t, c.Start(t.Context()))
		if took := time.Since(begin); took != delay {
			t.Errorf("the start took %s, want %s", took, delay)
		}
		mustDo(t, c.Stop(t.Context()))
	})
}

// observed is a context that tells when it is first waited for.
type observed struct {
	context.Context //nolint:containedctx // it is one
	tell            func()
}

func (o observed) Done() <-chan struct{} {
	o.tell()
	return o.Context.Done()
}

// TestStartWhileRestarting starts a component whose next incarnation is on its way: there is
// no other.
func TestStartWhileRestarting(t *testing.T) {
	c, s := newStage(t)
	c.options.Faults = deadly(t, fault.Effect{Crash: fault.Before}, 1)
	mustDo(t, c.Start(t.Context()))
	s.next.ready = make(chan struct{})
	s.die(t)
	await(t, c, stateCrashed, 2)
	mustDo(t, c.Start(observed{t.Context(), sync.OnceFunc(func() { close(s.next.ready) })}))
	mustDo(t, c.Stop(t.Context()))
	want := []string{"start", "ready", "crash", "start", "ready", "stop"}
	if diff := cmp.Diff(want, s.steps()); diff != "" {
		t.Errorf("journal: -want, +got:\n%s", diff)
	}
}

// TestKilledOnItsWay kills a component before it is ready: Start starts it again.
func TestKilledOnItsWay(t *testing.T) {
	c, s := newStage(t)
	c.options.Faults = deadly(t, fault.Effect{Crash: fault.Before}, 2)
	create := c.options.Create
	c.options.Create = func(ctx context.Context, i *seam.Incarnation) (Runner, error) {
		run, err := create(ctx, i)
		_ = i.Cross(ctx, journal.SeamStore, journal.Operation{Name: "DeleteBucket"}, func(error) string { return "Error" },
			func(context.Context) error { return nil })
		return run, err
	}
	mustDo(t, c.Start(t.Context()))
	mustDo(t, c.Stop(t.Context()))
	want := []string{"start", "crash", "start", "crash", "start", "ready", "stop"}
	if diff := cmp.Diff(want, s.steps()); diff != "" {
		t.Errorf("journal: -want, +got:\n%s", diff)
	}
}
