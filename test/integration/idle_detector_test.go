package integration_test

import (
	"testing"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/eventscope"
	"github.com/cosi-emu/cosi-emu/internal/scenario/idle"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// TestWaitQuietWithCompany: another run appears while the first waits. From then on, the other run's
// operations must not count.
func TestWaitQuietWithCompany(t *testing.T) {
	t.Parallel()
	emu := emulatortest.Start(t, emulator.Options{})
	detector := idle.New(emu)
	create := journal.Operation{Name: "DriverCreateBucket", Subject: "bucket-story-2"}
	call := emu.Journal().Begin(emulator.ComponentSidecar, 1, journal.SeamRPC, create)
	defer emu.Journal().Append(call) // in flight until the end
	scope, asked := eventscope.Scope{Words: []string{"story-1"}, Alone: true}, 0
	current := func() eventscope.Scope {
		asked++
		scope.Alone = asked < 3
		return scope
	}
	ctx := harness.Context(t)
	if !detector.WaitQuiet(ctx, current, idle.ShortQuiet) {
		t.Errorf("WaitQuiet() waits for another run, although it has asked for the scope %d times", asked)
	}
	if asked < 3 {
		t.Errorf("WaitQuiet() has asked for the scope %d times; the call of the other run counted until the third", asked)
	}
}
