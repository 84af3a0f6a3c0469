package integration_test

import (
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

// TestSharedApart uses two at the same time, each by several users.
func TestSharedApart(t *testing.T) {
	first, second := plain(), plain()
	one, releaseOne := use(t, first)
	other, releaseOther := use(t, second)
	if one == other || one.ControlPlane() == other.ControlPlane() {
		t.Error("two shared emulators have the same control plane")
	}
	var all sync.WaitGroup
	for _, s := range []*emulatortest.Shared{first, second} {
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
	}
	all.Wait()
	check(t, errors.Join(releaseOne(), releaseOther()))
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
