package mutants

import (
	"testing"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/internal/explore"
	"github.com/cosi-emu/cosi-emu/internal/recording"
	"github.com/cosi-emu/cosi-emu/internal/replay"
	"github.com/cosi-emu/cosi-emu/internal/scenario/engine"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
)

// TestLongReplay replays the recording of a finding, as 'cosi-emu replay' does, in an
// emulator outside of an exploration.
func TestLongReplay(t *testing.T) {
	d, ok := ByName("delete-errors-ignored")
	if !ok {
		t.Fatal("mutant not found")
	}
	opts := emulator.Options{Implementations: d.Implementations}
	r := exploration(t, d.file(), explore.Options{Kinds: d.Kinds, At: d.At, Shrink: true, Emulator: opts})
	if len(r.Findings) == 0 {
		t.Fatal("no findings")
	}
	recorded, err := recording.ReadFile(r.Findings[0].Recording)
	if err != nil {
		t.Fatal(err)
	}
	emu, err := emulator.Start(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := emu.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	again, err := replay.AsScenario(t.Context(), recorded, emu, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if again.Divergence != nil || again.Result.Outcome != outcome.Failed || again.Compared == 0 {
		t.Errorf("%d acts, %s, first difference: %v; want it to fail as recorded", again.Compared, again.Result.Outcome, again.Divergence)
	}
}
