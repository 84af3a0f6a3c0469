package plan

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/explore/run"
)

func TestRandomCases(t *testing.T) {
	point := run.Point{Component: "sidecar", Seam: journal.SeamRPC, Operation: "DriverCreateBucket", Subject: "bc-*", Nth: 1}
	trials := TimingOf(DefaultCallTimeout).Trials([]run.Point{point}, nil, "")
	few, many, other := RandomCases(trials, 5, 1), RandomCases(trials, 50, 1), RandomCases(trials, 50, 2)
	if diff := cmp.Diff(few, many[:5]); diff != "" {
		t.Errorf("the first cases differ: %s", diff)
	}
	without := RandomCases(trials[1:], 50, 1)
	for i, c := range many {
		if !slices.ContainsFunc(c, func(t Trial) bool { return cmp.Equal(t, trials[0]) }) && !cmp.Equal(c, without[i]) {
			t.Errorf("%s is selected instead of %s, because another trial is missing", without[i], c)
		}
	}
	if cmp.Equal(many, other) {
		t.Error("another seed selects the same cases")
	}
	for _, c := range many {
		if len(c) < 2 || len(c) > 3 || c[0].String() == c[1].String() {
			t.Errorf("%s: want two or three different faults", c)
		}
	}
}

func TestSample(t *testing.T) {
	point := run.Point{Component: "driver", Seam: journal.SeamStore, Operation: "AdminPutAccount", Subject: "ba-*", Nth: 1}
	all := TimingOf(DefaultCallTimeout).Trials([]run.Point{point}, nil, "")
	tests := map[string]struct {
		reason string
		n      int
		want   int
	}{
		"All":  {"0 selects all trials.", 0, len(all)},
		"Some": {"n selects n trials.", 2, 2},
		"More": {"n is limited to the number of trials.", len(all) + 1, len(all)},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			some := Sample(all, tc.n, 1)
			if len(some) != tc.want {
				t.Errorf("%s %d of %d, want %d", tc.reason, len(some), len(all), tc.want)
			}
			if diff := cmp.Diff(some, Sample(all, tc.n, 1)); diff != "" {
				t.Errorf("the same seed selects other trials, -first, +second:\n%s", diff)
			}
		})
	}
}
