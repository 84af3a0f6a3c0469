package emulator_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// TestReplicas has two controllers and two sidecars serve a story at the same time.
func TestReplicas(t *testing.T) {
	emu := emulatortest.Start(t, emulator.Options{})
	before := len(emu.Components())
	if _, err := emu.AddReplica(t.Context(), emulator.ComponentDriver); !errors.Is(err, emulator.ErrOptions) {
		t.Errorf("a second driver: %v, want ErrOptions", err)
	}
	for _, name := range []string{emulator.ComponentController, emulator.ComponentSidecar} {
		if err := emu.Component(name + emulator.ReplicaSuffix).Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := emu.AddReplica(t.Context(), name); !errors.Is(err, emulator.ErrOptions) {
			t.Errorf("a third %s: %v, want ErrOptions", name, err)
		}
	}
	mark := emu.Journal().Mark()
	serveByDriver(t, emu, emu.Info().DriverName, "two")
	busy := map[string]bool{}
	for _, e := range emu.Journal().Since(mark) {
		busy[e.Component] = busy[e.Component] || e.Seam == journal.SeamAPI
	}
	for _, name := range []string{emulator.ComponentController, emulator.ComponentSidecar} {
		if !busy[name+emulator.ReplicaSuffix] {
			t.Errorf("the second %s has done nothing", name)
		}
	}
	removeReplicas(t, emu)
	if after := len(emu.Components()); after != before {
		t.Errorf("%d components are left, want %d", after, before)
	}
}

// removeReplicas removes all second replicas.
func removeReplicas(t *testing.T, emu *emulator.Emulator) {
	t.Helper()
	for _, c := range emu.Components() {
		if strings.HasSuffix(c.Name(), emulator.ReplicaSuffix) {
			if err := c.Remove(t.Context()); err != nil {
				t.Error(err)
			}
		}
	}
}
