package emulator_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// TestReplicas has two controllers and two sidecars serve a story at the same time.
func TestReplicas(t *testing.T) {
	t.Parallel()
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
	idle := []string{emulator.ComponentController + emulator.ReplicaSuffix, emulator.ComponentSidecar + emulator.ReplicaSuffix}
	// The first replica may serve a whole story before the second one has seen it.
	for n := 0; len(idle) > 0 && n < 20; n++ {
		serveByDriver(t, emu, emu.Info().DriverName, fmt.Sprint("story-", n))
		idle = slices.DeleteFunc(idle, func(name string) bool {
			return slices.ContainsFunc(emu.Journal().Since(mark), func(e journal.Event) bool {
				return e.Component == name && e.Seam == journal.SeamAPI
			})
		})
	}
	if len(idle) > 0 {
		t.Errorf("these replicas have done nothing: %v", idle)
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
