package main_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/emulator/bench/figure"
)

// TestLongBench takes every measurement once, as small as can be, so that none of
// them rots. What they come to is not for a test.
func TestLongBench(t *testing.T) {
	checkBench(t, []string{
		// starts, claims, memory
		figure.UnitTimes, figure.UnitTimes, figure.UnitTimes, figure.UnitMegabytes, figure.UnitOperations,
		// scale: many at once, memory, among many, of one claim
		figure.UnitTimes, figure.UnitTimes, figure.UnitConflicts, figure.UnitTimes, figure.UnitKilobytes,
		figure.UnitTimes, figure.UnitTimes, figure.UnitExponent, figure.UnitExponent,
	}, "starts", "claims", "memory", "scale",
		"--starts=1", "--claims=1", "--load=1", "--window=100ms", "--pairs=4", "--many=3", "--rounds=1")
}

// TestLongBenchControlPlanes is TestLongBench for the suite that runs the program on both
// control planes.
func TestLongBenchControlPlanes(t *testing.T) {
	checkBench(t, []string{
		// start, second start, lifecycle, exploration, scenarios, memory
		figure.UnitTimes, figure.UnitMilliseconds, figure.UnitTimes, figure.UnitTimes, figure.UnitTimes, figure.UnitMegabytes,
	}, "control-planes", "--starts=1", "--lifecycles=2", "--scenario=lifecycle*", "--load=1")
}

// checkBench runs `cosi-emu bench` and compares the units of the figures.
func checkBench(t *testing.T, want []string, args ...string) {
	t.Helper()
	h := newHome(t)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	out, err := h.command(ctx, append([]string{"bench", "-o", "json"}, args...)...).Output()
	if err != nil {
		t.Fatalf("bench: %v", err)
	}
	var report figure.Report
	if err := json.Unmarshal(out, &report); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	var units []string
	for _, f := range report.Figures {
		units = append(units, f.Unit)
		if f.Unit == figure.UnitTimes && f.Value <= 0 { // what is counted, or grows, may come to nothing when there is so little of it
			t.Errorf("%s: %v %s", f.Name, f.Value, f.Unit)
		}
	}
	if diff := cmp.Diff(want, units); diff != "" {
		t.Errorf("the units of the figures: -want, +got:\n%s", diff)
	}
}
