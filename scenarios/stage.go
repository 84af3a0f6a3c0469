package scenarios

import (
	"context"
	"errors"
	"sync"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/internal/pods/image"
	"github.com/cosi-emu/cosi-emu/internal/scenario/engine"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
	"github.com/cosi-emu/cosi-emu/internal/scenario/timeout"
)

// stage runs scenarios with the same ground.
type stage struct {
	ground ground
	shared *emulatortest.Shared // nil on the caller's own emulator

	mu         sync.Mutex
	engine     *engine.Engine
	emulator   *emulator.Emulator // the engine's
	endpoint   string             // of the driver in this process
	stopDriver func() error       // nil while it is stopped

	tests int // number of tests that use it; guarded by stages.mu
}

// stages are the stages that tests use.
var stages = struct {
	mu   sync.Mutex
	open map[ground]*stage
}{open: map[ground]*stage{}}

// openStage returns the stage for some options and a version of the COSI kinds. It starts nothing.
// The caller closes it, once.
func openStage(all []Option, api objectstorage.Version) (s *stage, closeStage func() error) {
	g := ground{api: api}
	for _, option := range all {
		option(&g)
	}
	stages.mu.Lock()
	defer stages.mu.Unlock()
	s, ok := stages.open[g]
	if !ok {
		s = &stage{ground: g}
		if g.emulator == nil {
			s.shared = emulatortest.NewShared(s.options)
		}
		stages.open[g] = s
	}
	s.tests++
	release := func() error { return nil }
	if s.shared != nil {
		release = s.shared.Hold()
	}
	return s, func() error { return errors.Join(release(), s.leave()) }
}

// leave stops the driver in this process after its last test.
func (s *stage) leave() error {
	stages.mu.Lock()
	defer stages.mu.Unlock()
	s.tests--
	if s.tests > 0 {
		return nil
	}
	delete(stages.open, s.ground)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopDriver == nil {
		return nil
	}
	return s.stopDriver()
}

// options returns the options of the emulator. The driver must answer before it starts.
func (s *stage) options() (emulator.Options, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	options := emulator.Options{
		API: s.ground.api, Driver: s.ground.endpoint, AssumeExisting: s.ground.assumeExisting,
		RPCTimeout: timeout.Call(s.ground.patience), Strict: true,
	}
	if s.ground.inProcess == nil {
		return options, nil
	}
	if s.stopDriver == nil {
		var err error
		if s.endpoint, s.stopDriver, err = s.ground.inProcess.serve(context.Background()); err != nil {
			return emulator.Options{}, err
		}
	}
	options.Driver = s.endpoint
	return options, nil
}

// enter waits for the emulator, and returns the engine that all scenarios on it share, because some
// must run alone.
func (s *stage) enter(ctx context.Context) (*engine.Engine, *emulator.Emulator, func() error, error) {
	emu, release := s.ground.emulator, func() error { return nil }
	if s.shared != nil {
		var err error
		if emu, release, err = s.shared.Use(ctx); err != nil {
			return nil, nil, nil, err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.emulator != emu {
		s.emulator = emu
		s.engine = engine.New(emu, engine.Options{
			AllowExec: s.ground.allowExec, Update: *update, Keep: *keep, Patience: s.ground.patience,
		})
	}
	return s.engine, emu, release, nil
}

// startsOwn reports whether the scenarios use nothing of the caller's.
func (s *stage) startsOwn() bool {
	g := s.ground
	return g.emulator == nil && g.endpoint == "" && g.inProcess == nil
}

// playAlone runs a scenario as the test t, in an emulator of its own.
func (s *stage) playAlone(t T, scenario *spec.Scenario) {
	t.Helper()
	options, err := s.options()
	if err != nil {
		t.Fatalf("%v", err)
		return
	}
	options.Snapshot, options.Images = scenario.SnapshotFile(), image.Of(scenario.Setup.Images)
	options.Pods = len(options.Images) > 0
	emu, err := emulator.Start(t.Context(), options)
	if err != nil {
		t.Fatalf("start the emulator of the scenario: %v", err)
		return
	}
	defer func() {
		if err := emu.Stop(context.WithoutCancel(t.Context())); err != nil {
			t.Errorf("after the scenario: %v", err)
		}
	}()
	own := engine.New(emu, engine.Options{
		AllowExec: s.ground.allowExec, Update: *update, Keep: *keep, Patience: s.ground.patience,
	})
	tell(t, emu, own.Run(t.Context(), scenario))
}
