package integration_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
)

func plain() *emulatortest.Shared {
	return emulatortest.NewShared(func() (emulator.Options, error) { return emulator.Options{}, nil })
}

func use(t *testing.T, s *emulatortest.Shared) (*emulator.Emulator, func() error) {
	t.Helper()
	emu, release, err := s.Use(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return emu, release
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

func TestShared(t *testing.T) {
	s := plain()
	drop := s.Hold()
	first, releaseFirst := use(t, s)
	second, releaseSecond := use(t, s)
	if first != second {
		t.Error("two users have two emulators")
	}
	check(t, releaseFirst())
	check(t, releaseSecond())
	third, releaseThird := use(t, s)
	if third != first {
		t.Error("the emulator was stopped while a test held it")
	}
	check(t, releaseThird())
	check(t, drop())
	last, releaseLast := use(t, s)
	if last == first {
		t.Error("the emulator was not stopped after its last user left")
	}
	check(t, releaseLast())
}

func TestSharedTakeTurns(t *testing.T) {
	var all sync.WaitGroup
	for range 2 {
		s := plain()
		drop := s.Hold()
		for range 3 {
			all.Go(func() {
				_, release, err := s.Use(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				check(t, release())
			})
		}
		t.Cleanup(func() { check(t, drop()) })
	}
	all.Wait()
}

func TestSharedWaits(t *testing.T) {
	_, release := use(t, plain())
	defer func() { check(t, release()) }()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := plain().Use(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Use() = %v while another is used, want that it waits until the context ends", err)
	}
}

func TestSharedCannotStart(t *testing.T) {
	broken := errors.New("no driver")
	s := emulatortest.NewShared(func() (emulator.Options, error) { return emulator.Options{}, broken })
	for range 2 { // the first leaves room for the second
		if _, _, err := s.Use(t.Context()); !errors.Is(err, broken) {
			t.Errorf("Use() = %v, want %v", err, broken)
		}
	}
}
