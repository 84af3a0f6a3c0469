package loader_test

import (
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/scenario/loader"
	"github.com/cosi-emu/cosi-emu/internal/snapshot"
)

// TestSnapshot verifies the snapshot that a scenario starts from, relative to its file.
func TestSnapshot(t *testing.T) {
	text := strings.Replace(scenario("one", "fast"), "steps:", "setup: {snapshot: state.snapshot}\nsteps:", 1)
	write(t, map[string]string{"dir/one.yaml": text})
	_, err := loader.Load([]string{"dir"})
	if err == nil || !strings.Contains(err.Error(), "dir/one.yaml:") || !strings.Contains(err.Error(), "dir/state.snapshot") {
		t.Errorf("Load() without the file = %v, want a problem that names both", err)
	}
	if err := snapshot.Write("dir/state.snapshot", "description", t.TempDir(), false); err != nil {
		t.Fatal(err)
	}
	set, err := loader.Load([]string{"dir"})
	if err != nil || len(set.Scenarios) != 1 || set.Scenarios[0].SnapshotFile() != "dir/state.snapshot" {
		t.Errorf("Load() with the file = %v", err)
	}
}
