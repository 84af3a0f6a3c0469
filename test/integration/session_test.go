package integration_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/internal/controlplane"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/controlplanetest"
	"github.com/cosi-emu/cosi-emu/internal/instance"
	"github.com/cosi-emu/cosi-emu/internal/session"
	"github.com/cosi-emu/cosi-emu/test/harness/leaks"
)

const patience = 30 * time.Second

// stage is a machine on which sessions run, one after another: they share a
// control plane.
type stage struct {
	t     *testing.T
	root  string
	plane controlplane.ControlPlane
}

func newStage(t *testing.T) *stage {
	t.Helper()
	ctrl.SetLogger(logr.Discard())
	plane := controlplanetest.Start(t)
	others := goleak.IgnoreCurrent()
	t.Cleanup(func() { leaks.Check(t, others) })
	home := t.TempDir()
	t.Setenv("XDG_STATE_HOME", home)
	return &stage{t: t, root: filepath.Join(home, "cosi-emu"), plane: plane}
}

func (s *stage) options() session.Options {
	return session.Options{Name: "one", Version: "v1", Emulator: emulator.Options{ControlPlane: s.plane}}
}

func (s *stage) start(opts session.Options) *session.Session {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	running, err := session.Start(ctx, opts)
	if err != nil {
		s.t.Fatal(err)
	}
	return running
}

// expectRejected expects that a session does not start. One that does is stopped.
func (s *stage) expectRejected(ctx context.Context, opts session.Options, want error) {
	s.t.Helper()
	started, err := session.Start(ctx, opts)
	if err == nil {
		s.stop(started)
	}
	if !errors.Is(err, want) {
		s.t.Errorf("Start() = %v, want %v", err, want)
	}
}

func (s *stage) stop(running *session.Session) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := running.Stop(ctx); err != nil {
		s.t.Error(err)
	}
}

func (s *stage) expectNothing() {
	s.t.Helper()
	if left, err := os.ReadDir(s.root); err != nil || len(left) > 0 {
		s.t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestSession(t *testing.T) {
	s := newStage(t)
	opts := s.options()
	opts.DataDir = t.TempDir()
	running := s.start(opts)
	want := running.Info()
	got, err := instance.Get("one")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what is published: -want, +got:\n%s", diff)
	}
	if !got.Ready || got.PID != os.Getpid() || got.Version != "v1" || got.DataDir == "" || got.S3Endpoint == "" || got.DriverEndpoint == "" {
		t.Errorf("the description is not complete: %+v", got)
	}
	s.expectRejected(t.Context(), s.options(), instance.ErrRunning)
	if _, err := instance.LockDataDir(opts.DataDir); !errors.Is(err, instance.ErrInUse) {
		t.Errorf("the data directory of a running session: %v", err)
	}
	s.stop(running)
	if _, err := instance.Get("one"); !errors.Is(err, instance.ErrNotRunning) {
		t.Errorf("after Stop: %v", err)
	}
	s.expectNothing()
}

// TestWait crashes and starts a component, and expects the recorded state to follow.
func TestWait(t *testing.T) {
	s := newStage(t)
	running := s.start(s.options())
	defer s.stop(running)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- running.Wait(ctx) }()
	defer func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Wait() = %v when its context is done", err)
		}
	}()

	driver := running.Info().DriverName
	sidecar := running.Emulator().Component(emulator.ComponentSidecar)
	if err := sidecar.Crash(); err != nil {
		t.Fatal(err)
	}
	expectComponent(t, emulator.ComponentInfo{Name: "sidecar", State: "Crashed", Incarnation: 1, Driver: driver})
	if err := sidecar.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	expectComponent(t, emulator.ComponentInfo{Name: "sidecar", State: "Running", Incarnation: 2, Driver: driver})
}

// expectComponent waits until the recorded state of a component is this.
func expectComponent(t *testing.T, want emulator.ComponentInfo) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	for {
		info, err := instance.Get("one")
		if err != nil {
			t.Fatal(err)
		}
		if slices.Contains(info.Components, want) {
			return
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			t.Fatalf("the books say %+v, want %+v", info.Components, want)
		}
	}
}

func TestStartFails(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		change func(t *testing.T, o *session.Options)
		want   error
	}{
		"Name": {
			reason: "a name that cannot be",
			change: func(_ *testing.T, o *session.Options) { o.Name = "../x" },
			want:   instance.ErrName,
		},
		"DataDirInUse": {
			reason: "the data belong to another emulator",
			change: func(t *testing.T, o *session.Options) {
				t.Helper()
				other, err := instance.LockDataDir(o.DataDir)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = other.Release() })
			},
			want: instance.ErrInUse,
		},
		"Emulator": {
			reason: "the emulator rejects its options",
			change: func(_ *testing.T, o *session.Options) { o.Emulator.S3Port = -1 },
			want:   emulator.ErrOptions,
		},
		"Context": {
			reason: "there is no time for it",
			change: func(t *testing.T, o *session.Options) {
				t.Helper()
				o.Emulator.Driver = "unix://" + filepath.Join(t.TempDir(), "d.sock")
			},
			want: context.Canceled,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			opts := s.options()
			opts.DataDir = t.TempDir()
			tc.change(t, &opts)
			ctx, cancel := context.WithCancel(t.Context())
			if tc.want == context.Canceled { //nolint:errorlint // it is the very value
				cancel()
			}
			defer cancel()
			s.expectRejected(ctx, opts, tc.want)
			if tc.want == instance.ErrName { //nolint:errorlint // it is the very value
				return // not even the root was made
			}
			s.expectNothing()
			// The next session finds both free, unless they belong to another.
			again := s.options()
			again.DataDir = t.TempDir()
			s.stop(s.start(again))
		})
	}
}
