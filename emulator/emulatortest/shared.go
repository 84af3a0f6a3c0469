package emulatortest

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/controlplanetest"
)

// Shared is an emulator that several tests use at the same time, on the test binary's control
// plane. It runs while a test holds or uses it. Only one Shared runs at a time; the next one starts
// when no test uses the current one.
//
// Unlike with Start, the users delete their own objects. When the emulator stops, remaining objects
// are removed and reported as an error.
type Shared struct {
	options func() (emulator.Options, error)

	// The fields below are guarded by turn.mu.
	holds, users int
	emulator     *emulator.Emulator // nil unless it runs
}

// NewShared returns an emulator that starts with the function's options at its first use.
func NewShared(options func() (emulator.Options, error)) *Shared {
	return &Shared{options: options}
}

// turn selects the Shared that runs.
var turn = struct {
	mu      sync.Mutex
	current *Shared       // nil if none runs
	changed chan struct{} // closed when a test stops using it
}{changed: make(chan struct{})}

// Hold keeps the emulator running between its users until release, which must be called once. Hold
// neither starts the emulator nor waits.
func (s *Shared) Hold() (release func() error) {
	turn.mu.Lock()
	defer turn.mu.Unlock()
	s.holds++
	return func() error {
		turn.mu.Lock()
		defer turn.mu.Unlock()
		s.holds--
		return s.leave()
	}
}

// Use waits for its turn and returns the running emulator. The caller calls release once.
func (s *Shared) Use(ctx context.Context) (emu *emulator.Emulator, release func() error, err error) {
	turn.mu.Lock()
	defer turn.mu.Unlock()
	for turn.current != nil && turn.current != s && turn.current.users > 0 {
		if err := awaitTurn(ctx); err != nil {
			return nil, nil, err
		}
	}
	if turn.current != s {
		if err := s.take(ctx); err != nil {
			return nil, nil, err
		}
	}
	s.users++
	return s.emulator, s.release, nil
}

// awaitTurn releases the lock until a test stops using an emulator.
func awaitTurn(ctx context.Context) error {
	changed := turn.changed
	turn.mu.Unlock()
	defer turn.mu.Lock()
	select {
	case <-changed:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait until other tests have ended that use another emulator: %w", context.Cause(ctx))
	}
}

// take replaces the running emulator, which no test uses.
func (s *Shared) take(ctx context.Context) error {
	if turn.current != nil {
		if err := turn.current.stop(); err != nil { //nolint:contextcheck // it is to end also when ctx has
			return fmt.Errorf("stop the emulator of other tests: %w", err)
		}
	}
	exclusive.Lock()
	emu, err := s.start(ctx)
	if err != nil {
		exclusive.Unlock()
		return err
	}
	turn.current, s.emulator = s, emu
	return nil
}

func (s *Shared) start(ctx context.Context) (*emulator.Emulator, error) {
	silenceLibraries()
	options, err := s.options()
	if err != nil {
		return nil, err
	}
	plane, err := controlplanetest.Shared(options.API)
	if err != nil {
		return nil, fmt.Errorf("start a control plane for the tests: %w", err)
	}
	options.ControlPlane = plane
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	emu, err := emulator.Start(ctx, options)
	if err != nil {
		return nil, fmt.Errorf("start an emulator for the tests: %w", err)
	}
	return emu, nil
}

func (s *Shared) release() error {
	turn.mu.Lock()
	defer turn.mu.Unlock()
	s.users--
	if s.users == 0 {
		close(turn.changed)
		turn.changed = make(chan struct{})
	}
	return s.leave()
}

// leave stops the emulator if no test holds or uses it.
func (s *Shared) leave() error {
	if turn.current != s || s.users > 0 || s.holds > 0 {
		return nil
	}
	return s.stop()
}

// stop stops the running emulator, and removes remaining objects of COSI.
func (s *Shared) stop() error {
	defer exclusive.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	emu := s.emulator
	turn.current, s.emulator = nil, nil
	return errors.Join(cleanUp(ctx, emu), emu.Stop(ctx))
}
