package emulatortest

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/controlplanetest"
)

// Shared is an emulator that several tests use at the same time, on a control plane of the test
// binary that no other emulator has meanwhile. It runs while a test holds or uses it.
//
// Unlike with Start, the users delete their own objects. When the emulator stops, remaining objects
// are removed and reported as an error.
type Shared struct {
	options func() (emulator.Options, error)

	mu           sync.Mutex
	holds, users int
	emulator     *emulator.Emulator // nil unless it runs
	giveBack     func()             // returns its control plane
}

// NewShared returns an emulator that starts with the function's options at its first use.
func NewShared(options func() (emulator.Options, error)) *Shared {
	return &Shared{options: options}
}

// Hold keeps the emulator running between its users until release, which must be called once. Hold
// neither starts the emulator nor waits.
func (s *Shared) Hold() (release func() error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.holds++
	return func() error {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.holds--
		return s.leave()
	}
}

// Use returns the running emulator; the first user waits for its start. The caller calls release once.
func (s *Shared) Use(ctx context.Context) (emu *emulator.Emulator, release func() error, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.emulator == nil {
		if err := s.start(ctx); err != nil {
			return nil, nil, err
		}
	}
	s.users++
	return s.emulator, s.release, nil
}

func (s *Shared) start(ctx context.Context) error {
	silenceLibraries()
	options, err := s.options()
	if err != nil {
		return err
	}
	plane, giveBack, err := controlplanetest.Lend(options.API) //nolint:contextcheck // it outlives the test
	if err != nil {
		return fmt.Errorf("start a control plane for the tests: %w", err)
	}
	options.ControlPlane = plane
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	emu, err := emulator.Start(ctx, options)
	if err != nil {
		giveBack()
		return fmt.Errorf("start an emulator for the tests: %w", err)
	}
	s.emulator, s.giveBack = emu, giveBack
	return nil
}

func (s *Shared) release() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.users--
	return s.leave()
}

// leave stops the emulator if no test holds or uses it, and removes remaining objects of COSI.
func (s *Shared) leave() error {
	if s.emulator == nil || s.users > 0 || s.holds > 0 {
		return nil
	}
	defer s.giveBack()
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	emu := s.emulator
	s.emulator = nil
	return errors.Join(cleanUp(ctx, emu), emu.Stop(ctx))
}
