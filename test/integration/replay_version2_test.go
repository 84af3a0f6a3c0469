package integration_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/recording"
	"github.com/cosi-emu/cosi-emu/internal/replay"
	"github.com/cosi-emu/cosi-emu/internal/scenario/engine"
)

// version2 is a recording of format version 2: the scenario of this package's tests, with two faults
// and a crash, as cosi-emu run has written it in November 2026, but with the field names of version 2.
// Never generate it again. A change that cannot read it, or replays something else, is
// a new version of the format, or breaks the recordings that people have kept.
func version2(t *testing.T) *recording.Recording {
	t.Helper()
	r, err := recording.ReadFile("testdata/version2.cosirec")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestVersion2 has today's reader and oracles take a recording of version 2.
func TestVersion2(t *testing.T) {
	r := version2(t)
	if r.Version != 2 || r.Scenario != "story" || r.Kubernetes != "v1.36.3" || len(r.Files) != 2 {
		t.Errorf("header: %+v", r.Header)
	}
	if r.End == nil || r.End.Outcome != "passed" {
		t.Errorf("end: %+v", r.End)
	}
	seams, faults := map[journal.Seam]int{}, map[string]int{}
	for _, e := range r.Events {
		seams[e.Seam]++
		if e.Fault != "" {
			faults[e.Fault]++
		}
	}
	want := map[journal.Seam]int{journal.SeamAPI: 61, journal.SeamRPC: 20, journal.SeamStore: 9, journal.SeamProcess: 9, journal.SeamLog: 47}
	if diff := cmp.Diff(want, seams); diff != "" {
		t.Errorf("events -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff(map[string]int{"busy.story-1": 2, "lost.story-1": 1}, faults); diff != "" {
		t.Errorf("faults -want, +got:\n%s", diff)
	}
	testJudge(t, r)
}

// TestVersion2Replays runs a recording of version 2 again, in both ways.
func TestVersion2Replays(t *testing.T) {
	t.Parallel()
	t.Run("AsScenario", func(t *testing.T) {
		t.Parallel()
		got, err := replay.AsScenario(t.Context(), version2(t), emulatortest.Start(t, emulator.Options{}), engine.Options{})
		expectSame(t, got, err)
	})
	t.Run("AsDriver", func(t *testing.T) {
		t.Parallel()
		drivers, err := replay.Drivers(version2(t))
		if err != nil {
			t.Fatal(err)
		}
		emu := emulatortest.Start(t, emulator.Options{Implementations: drivers.Implementations()})
		got, err := drivers.Replay(t.Context(), emu, engine.Options{})
		expectSame(t, got, err)
	})
}
