package mutants

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/internal/explore"
	"github.com/cosi-emu/cosi-emu/internal/explore/plan"
	"github.com/cosi-emu/cosi-emu/internal/explore/shard"
)

// shards is the number of machines that TestLongShards plays.
const shards = 4

// TestLongShards explores the base lifecycle, of components without a bug and of a mutant, once
// as a whole and once in shards, one after the other. Both have the same findings, and each effect
// at the first of equal calls is tried in one shard. A sidecar repeats a call if its cache was late,
// so that a run without faults has a second call now and then that another has not.
// The nightly run tries every effect at the calls of the sidecar, and others two of them.
func TestLongShards(t *testing.T) {
	kinds := []plan.Kind{plan.Fail, plan.LoseReply}
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
			opts.State = filepath.Join(t.TempDir(), "whole.state")
			whole := exploreLifecycle(t, opts)
			want := firstCalls(t, opts.State)
			joined, merged := inShards(t, opts, want)
			if len(want) < 2*shards || merged.Merged != shards || len(merged.MissingShards) > 0 {
				t.Errorf("%d effects tried in one run, %d states, missing shards %v", len(want), merged.Merged, merged.MissingShards)
			}
			if diff := cmp.Diff(findings(whole), findings(joined)); diff != "" || (len(whole.Findings) > 0) != tc.bug {
				t.Errorf("%d groups of findings: -one run, +shards:\n%s", len(whole.Findings), diff)
			}
		})
	}
}

// inShards explores in shards, and returns the report of the joined state, and the report of the
// exploration that continues from it and confirms the findings. It expects that each of some effects
// is tried in one shard.
func inShards(t *testing.T, opts explore.Options, want []string) (joined, merged *explore.Report) {
	t.Helper()
	dir := t.TempDir()
	var tried []string
	for i := range shards {
		opts.Shard = shard.Shard{Index: i + 1, Count: shards}
		opts.State = filepath.Join(dir, strconv.Itoa(i)+".state")
		exploreLifecycle(t, opts)
		tried = append(tried, firstCalls(t, opts.State)...)
	}
	slices.Sort(tried)
	if diff := cmp.Diff(want, tried); diff != "" {
		t.Errorf("effects at first calls: -one run, +shards:\n%s", diff)
	}
	opts.Shard, opts.State = shard.Shard{}, filepath.Join(t.TempDir(), "all.state")
	merged, err := explore.Merge(t.Context(), opts.State, dir)
	if err != nil {
		t.Fatal(err)
	}
	joined = exploreLifecycle(t, opts)
	if diff := cmp.Diff(want, firstCalls(t, opts.State)); diff != "" {
		t.Errorf("effects at first calls, in the shards and after them: -one run, +shards:\n%s", diff)
	}
	return joined, merged
}

// firstCalls returns the cases of a state whose points are the first of equal operations.
func firstCalls(t *testing.T, state string) []string {
	t.Helper()
	data, err := os.ReadFile(state)
	if err != nil {
		t.Fatal(err)
	}
	_, lines, _ := bytes.Cut(data, []byte("\n")) // the first line is the header
	var all []string
	for line := range bytes.Lines(lines) {
		var result struct {
			Case plan.Case `json:"case"`
		}
		if err := json.Unmarshal(line, &result); err != nil {
			t.Fatalf("%s: %v in %s", state, err, line)
		}
		if !slices.ContainsFunc(result.Case, func(t plan.Trial) bool { return t.Point.Nth > 1 }) {
			all = append(all, result.Case.String())
		}
	}
	slices.Sort(all)
	return all
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
