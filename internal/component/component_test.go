package component

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/seam"
	"github.com/cosi-emu/cosi-emu/test/harness/leaks"
)

// errStopped is the error of a runner that waits in vain.
var errStopped = errors.New("stopped")

// script is a runner that a test controls.
type script struct {
	incarnation *seam.Incarnation
	ready       chan struct{} // closed when ready
	end         chan error    // ends the runner by itself
	entered     chan struct{} // receives when a call is in flight
	stubborn    bool          // does not end while its calls are not fenced
	unready     error         // of WaitReady, a moment before Start returns another
}

func (s *script) Start(ctx context.Context) error {
	select {
	case err := <-s.end:
		return err
	case <-ctx.Done():
	}
	if s.stubborn {
		return s.call(context.WithoutCancel(ctx))
	}
	return nil
}

// call is a call that hangs until it is cut off.
func (s *script) call(ctx context.Context) error {
	code := func(error) string { return "Hung" }
	return s.incarnation.Cross(ctx, journal.SeamStore, journal.Operation{Name: "Hang"}, code, func(ctx context.Context) error {
		s.entered <- struct{}{}
		<-ctx.Done()
		return context.Cause(ctx)
	})
}

func (s *script) WaitReady(ctx context.Context) error {
	if s.unready != nil {
		return s.unready
	}
	select {
	case <-s.ready:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// stage makes components of scripts.
type stage struct {
	journal      *journal.Journal
	incarnations []*script
	failed       chan error
	next         script // how the next incarnation behaves
}

func newStage(t *testing.T) (*Component, *stage) {
	t.Helper()
	others := goleak.IgnoreCurrent() // goroutines of a bubble of synctest
	t.Cleanup(func() { leaks.Check(t, others) })
	s := &stage{journal: journal.New(journal.Options{}), failed: make(chan error, 1)}
	create := func(_ context.Context, i *seam.Incarnation) (Runner, error) {
		run := s.next
		run.incarnation, run.end, run.entered = i, make(chan error, 1), make(chan struct{}, 1)
		if run.ready == nil {
			run.ready = make(chan struct{})
			close(run.ready)
		}
		s.incarnations = append(s.incarnations, &run)
		return &run, nil
	}
	return New(Options{
		Name: "actor", Journal: s.journal, Create: create, Failed: func(err error) { s.failed <- err }, Stopped: errStopped,
	}), s
}

func (s *stage) steps() []string {
	var steps []string
	for _, e := range s.journal.Since(0) {
		if e.Seam == journal.SeamProcess {
			steps = append(steps, e.Operation.Name)
		}
	}
	return steps
}

func mustDo(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestComponentLives(t *testing.T) {
	c, s := newStage(t)
	mustDo(t, c.Start(t.Context()))
	if err := c.Start(t.Context()); !errors.Is(err, ErrWrongState) {
		t.Errorf("second Start: %v, want ErrWrongState", err)
	}
	mustDo(t, c.Crash())
	if err := c.Crash(); !errors.Is(err, ErrWrongState) {
		t.Errorf("Crash of a crashed component: %v, want ErrWrongState", err)
	}
	mustDo(t, c.Start(t.Context()))
	mustDo(t, c.Restart(t.Context()))
	mustDo(t, c.Stop(t.Context()))
	mustDo(t, c.Stop(t.Context()))
	state, incarnations := c.State()
	if state != stateStopped || incarnations != 3 {
		t.Errorf("State() = %s, %d, want Stopped after 3 incarnations", state, incarnations)
	}
	want := []string{"start", "ready", "crash", "start", "ready", "stop", "start", "ready", "stop"}
	if diff := cmp.Diff(want, s.steps()); diff != "" {
		t.Errorf("journal: -want, +got:\n%s", diff)
	}
}

func TestComponentCrashFences(t *testing.T) {
	c, s := newStage(t)
	mustDo(t, c.Start(t.Context()))
	first := s.incarnations[0]
	inFlight := make(chan error, 1)
	mark := s.journal.Mark()
	go func() { inFlight <- first.call(context.Background()) }()
	<-first.entered
	mustDo(t, c.Crash())
	if err := <-inFlight; !errors.Is(err, seam.ErrFenced) {
		t.Errorf("call in flight ended with %v, want ErrFenced", err)
	}
	if err := first.call(t.Context()); !errors.Is(err, seam.ErrFenced) {
		t.Errorf("call after the crash ended with %v, want ErrFenced", err)
	}
	var outcomes []string
	for _, e := range s.journal.Since(mark) {
		outcomes = append(outcomes, e.Operation.Name+" "+e.Outcome)
	}
	if diff := cmp.Diff([]string{"crash OK", "Hang Fenced"}, outcomes); diff != "" {
		t.Errorf("journal: -want, +got:\n%s", diff)
	}
}

func TestComponentFails(t *testing.T) {
	errBroken := errors.New("broken")
	t.Run("Running", func(t *testing.T) {
		c, s := newStage(t)
		mustDo(t, c.Start(t.Context()))
		s.incarnations[0].end <- errBroken
		if err := <-s.failed; !errors.Is(err, errBroken) {
			t.Errorf("reported failure: %v", err)
		}
		if state, _ := c.State(); state != stateFailed {
			t.Errorf("State() = %s, want Failed", state)
		}
		mustDo(t, c.Start(t.Context()))
		mustDo(t, c.Stop(t.Context()))
		if diff := cmp.Diff([]string{"start", "ready", "fail", "start", "ready", "stop"}, s.steps()); diff != "" {
			t.Errorf("journal: -want, +got:\n%s", diff)
		}
	})
	t.Run("ExcusedBeforeReady", func(t *testing.T) {
		c, s := newStage(t)
		s.next.ready = make(chan struct{})
		create := c.options.Create
		c.options.Create = func(ctx context.Context, i *seam.Incarnation) (Runner, error) {
			c.Excuse(func(int) {})
			close(s.next.ready)
			c.options.Create, s.next.ready = create, nil
			return create(ctx, i)
		}
		mustDo(t, c.Start(t.Context()))
		s.incarnations[0].end <- errBroken
		await(t, c, stateRunning, 2)
		mustDo(t, c.Stop(t.Context()))
	})
	t.Run("ExcusedBeforeCauseIsRecorded", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c, s := newStage(t)
			mustDo(t, c.Start(t.Context()))
			c.Excuse(func(number int) {
				s.incarnations[0].end <- errBroken
				synctest.Wait()
				e := c.options.Journal.Begin(c.Name(), number, journal.SeamProcess, journal.Operation{Name: journal.StepLoseLease})
				c.options.Journal.Append(e)
			})
			await(t, c, stateRunning, 2)
			mustDo(t, c.Stop(t.Context()))
			if diff := cmp.Diff([]string{"start", "ready", "lose lease", "fail", "start", "ready", "stop"}, s.steps()); diff != "" {
				t.Errorf("journal: -want, +got:\n%s", diff)
			}
		})
	})
	t.Run("BeforeReady", func(t *testing.T) {
		c, s := newStage(t)
		s.next.ready = make(chan struct{})
		started := make(chan error, 1)
		create := c.options.Create
		c.options.Create = func(ctx context.Context, i *seam.Incarnation) (Runner, error) {
			run, err := create(ctx, i)
			s.incarnations[0].end <- errBroken
			return run, err
		}
		go func() { started <- c.Start(context.Background()) }()
		if err := <-started; !errors.Is(err, errBroken) {
			t.Errorf("Start() = %v, want the error of the runner", err)
		}
	})
	t.Run("StoppedBeforeReady", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c, s := newStage(t)
			s.next.unready = fmt.Errorf("sidecar: %w", errStopped)
			started := make(chan error, 1)
			go func() { started <- c.Start(context.Background()) }()
			synctest.Wait()
			s.incarnations[0].end <- errBroken
			if err := <-started; !errors.Is(err, errBroken) {
				t.Errorf("Start() = %v, want the error that Start of the runner returns later", err)
			}
		})
	})
	t.Run("NeverReady", func(t *testing.T) {
		c, s := newStage(t)
		s.next.ready = make(chan struct{})
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := c.Start(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("Start() = %v, want context.Canceled", err)
		}
		if state, _ := c.State(); state != stateFailed {
			t.Errorf("State() = %s, want Failed", state)
		}
	})
}

func TestComponentStopCutsOff(t *testing.T) {
	c, s := newStage(t)
	s.next.stubborn = true
	mustDo(t, c.Start(t.Context()))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.Stop(ctx); !errors.Is(err, context.Canceled) || !errors.Is(err, seam.ErrFenced) {
		t.Errorf("Stop() = %v, want it to say that the component was cut off", err)
	}
	if state, _ := c.State(); state != stateStopped {
		t.Errorf("State() = %s, want Stopped", state)
	}
}
