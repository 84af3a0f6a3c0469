package mutants

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/internal/scenarios/explore"
)

// shards is the number of machines that TestLongShards plays.
const shards = 4

// TestLongShards explores the base lifecycle, of components without a bug and of a mutant, once
// as a whole and once in shards, one after the other. What they find is the same, and nearly
// nothing is left to try: a run without faults has a point now and then that another has not.
// The nightly run tries every effect at the calls of the sidecar, and others two of them.
func TestLongShards(t *testing.T) {
	kinds := []explore.Kind{explore.Fail, explore.LoseReply}
	if *sample == 0 {
		kinds = nil
	}
	mutant, ok := ByName("delete-errors-ignored")
	if !ok {
		t.Fatal("there is no such mutant")
	}
	for name, tc := range map[string]struct {
		components emulator.Implementations
		bug        bool
	}{
		"Sound":  {},
		"Mutant": {mutant.Implementations, true},
	} {
		t.Run(name, func(t *testing.T) {
			opts := explore.Options{Kinds: kinds, At: "sidecar rpc *"}
			opts.Emulator.Implementations, opts.Emulator.ControlPlaneKind = tc.components, emulator.ControlPlaneEmbedded
			whole := exploreLifecycle(t, opts)
			joined, merged := inShards(t, opts)
			if whole.Tried < 2*shards || merged.Merged != shards || len(merged.MissingShards) > 0 {
				t.Errorf("%d effects tried in one run, %d states, missing shards %v", whole.Tried, merged.Merged, merged.MissingShards)
			}
			if joined.Tried > whole.Tried/shards {
				t.Errorf("%d of %d effects are left after the shards", joined.Tried, whole.Applicable)
			}
			if diff := cmp.Diff(findings(whole), findings(joined)); diff != "" || (len(whole.Findings) > 0) != tc.bug {
				t.Errorf("%d groups of findings: -one run, +shards:\n%s", len(whole.Findings), diff)
			}
		})
	}
}

// inShards explores in shards, and returns the report of the joined state, and that of the
// exploration that continues from it and confirms the findings.
func inShards(t *testing.T, opts explore.Options) (joined, merged *explore.Report) {
	t.Helper()
	dir := t.TempDir()
	for i := range shards {
		opts.Shard = explore.Shard{Index: i + 1, Count: shards}
		opts.State = filepath.Join(dir, strconv.Itoa(i)+".state")
		exploreLifecycle(t, opts)
	}
	opts.Shard, opts.State = explore.Shard{}, filepath.Join(t.TempDir(), "all.state")
	merged, err := explore.Merge(t.Context(), opts.State, dir)
	if err != nil {
		t.Fatal(err)
	}
	return exploreLifecycle(t, opts), merged
}

func exploreLifecycle(t *testing.T, opts explore.Options) *explore.Report {
	t.Helper()
	file := Mutant{}.file()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	opts.File, opts.Text, opts.Sandboxes = file, text, sandboxes
	r, err := explore.Explore(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Unreached) > 0 {
		t.Logf("not reached: %v", r.Unreached)
	}
	return r
}

// findings returns oracle and cause of each group.
func findings(r *explore.Report) []string {
	var all []string
	for _, g := range r.Findings {
		all = append(all, g.Oracle+": "+g.Cause)
	}
	slices.Sort(all)
	return all
}
