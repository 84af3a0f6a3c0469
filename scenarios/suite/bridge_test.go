package suite_test

import (
	"testing"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/scenarios"
)

// TestBridge runs a sample of the suite on drivers of v1alpha1 behind bridges, and
// TestLongBridge all of it. A scenario with the label bridge is skipped there.
func TestBridge(t *testing.T) { runOverBridge(t, "access/*.yaml", "steady/*.yaml") }

// TestLongBridge is TestBridge with all scenarios.
func TestLongBridge(t *testing.T) { runOverBridge(t, "*/*.yaml") }

func runOverBridge(t *testing.T, patterns ...string) {
	t.Helper()
	emu := emulatortest.Start(t, emulator.Options{Bridge: true})
	t.Cleanup(func() { checkOperations(t, emu.Journal()) })
	for _, pattern := range patterns {
		scenarios.Run(t, pattern, scenarios.On(emu), scenarios.Patience(patience))
	}
}
