//go:build unix

package envtest_test

import (
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/controlplane/envtest"
)

func pid(tb testing.TB, c *envtest.ControlPlane, name string) int {
	tb.Helper()
	for _, process := range c.Processes() {
		if process.Name == name {
			return process.PID
		}
	}
	tb.Fatalf("no process %s in %v", name, c.Processes())
	return 0
}
