package embedded_test

import (
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/controlplane"
	"github.com/cosi-emu/cosi-emu/test/planetest"
)

func TestControlPlane(t *testing.T) {
	planetest.Run(t, func(tb testing.TB, opts controlplane.Options) controlplane.ControlPlane {
		tb.Helper()
		return start(tb, opts)
	})
}

func TestPods(t *testing.T) {
	planetest.RunPods(t, func(tb testing.TB, opts controlplane.Options) controlplane.ControlPlane {
		tb.Helper()
		return start(tb, opts)
	})
}
