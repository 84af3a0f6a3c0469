package command

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/internal/instance"
)

func TestStatusRows(t *testing.T) {
	components := func(state emulator.State) []emulator.ComponentInfo {
		return []emulator.ComponentInfo{
			{Name: "etcd", State: state, Log: "a.log"},
			{Name: "kube-apiserver", State: emulator.StateRunning, Log: "a.log"},
			{Name: "kube-controller-manager", State: state, Log: "a.log"},
			{Name: "store", State: emulator.StateRunning, Incarnation: 1},
		}
	}
	store := emulator.ComponentInfo{Name: "store", State: emulator.StateRunning, Incarnation: 1}
	tests := map[string]struct {
		reason string
		plane  emulator.ControlPlaneKind
		state  emulator.State
		want   []emulator.ComponentInfo
	}{
		"Envtest": {
			"Each is a process.", emulator.ControlPlaneEnvtest, emulator.StateRunning, components(emulator.StateRunning),
		},
		"Embedded": {
			"It is one part of this program.", emulator.ControlPlaneEmbedded, emulator.StateRunning,
			[]emulator.ComponentInfo{{Name: "control plane", State: "Running", Log: "a.log"}, store},
		},
		"EmbeddedOutage": {
			"A fault or a scenario has stopped parts of it.", emulator.ControlPlaneEmbedded, emulator.StateStopped,
			[]emulator.ComponentInfo{{Name: "control plane", State: "Running without etcd, kube-controller-manager", Log: "a.log"}, store},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			info := instance.Info{}
			info.ControlPlane, info.Components = tc.plane, components(tc.state)
			if diff := cmp.Diff(tc.want, rows(info)); diff != "" {
				t.Errorf("%s -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
