package controlplane_test

import (
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/emulator/controlplane"
)

func pid(tb testing.TB, c *controlplane.ControlPlane, name string) int {
	tb.Helper()
	for _, process := range c.Processes() {
		if process.Name == name {
			return process.PID
		}
	}
	tb.Fatalf("no process %s in %v", name, c.Processes())
	return 0
}
