package plan

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/explore/run"
)

// TestEffects verifies that every effect of every point can be injected there.
func TestEffects(t *testing.T) {
	tests := map[string]struct {
		reason string
		point  run.Point
		want   []Kind
	}{
		"Write": {
			"An update can conflict.",
			run.Point{Component: "controller", Seam: journal.SeamAPI, Operation: "update secrets", Subject: "*/key", Nth: 1},
			[]Kind{CrashBefore, CrashAfter, Fail, Conflict, LoseReply, Delay, Duplicate},
		},
		"Read": {
			"A read can be stale.",
			run.Point{Component: "controller", Seam: journal.SeamAPI, Operation: "get secrets", Subject: "*/key", Nth: 1},
			[]Kind{CrashBefore, Fail, Delay, Stale},
		},
		"CallThatReads": {
			"A read has no effect that a crash could follow.",
			run.Point{Component: "sidecar", Seam: journal.SeamRPC, Operation: "DriverGetBucket", Subject: "b", Nth: 1},
			[]Kind{CrashBefore, Fail, Delay},
		},
		"Call": {
			"",
			run.Point{Component: "sidecar", Seam: journal.SeamRPC, Operation: "DriverCreateBucket", Subject: "bc-*", Nth: 1},
			[]Kind{CrashBefore, CrashAfter, Fail, LoseReply, Delay, Duplicate},
		},
		"Deletion": {
			"It must be retried, whatever the driver says.",
			run.Point{Component: "sidecar", Seam: journal.SeamRPC, Operation: "DriverDeleteBucket", Subject: "bc-*", Nth: 1},
			[]Kind{CrashBefore, CrashAfter, Fail, Reject, LoseReply, Delay, Duplicate},
		},
		"Backend": {
			"",
			run.Point{Component: "driver", Seam: journal.SeamStore, Operation: "AdminPutAccount", Subject: "ba-*", Nth: 1},
			[]Kind{CrashBefore, CrashAfter, Fail, LoseReply, Delay, Duplicate},
		},
		"S3": {
			"",
			run.Point{Component: "store", Seam: journal.SeamStore, Operation: "PutObject", Subject: "bc-*/hello", Nth: 1},
			[]Kind{CrashBefore, CrashAfter, Fail, LoseReply, Delay, Duplicate},
		},
		"Event": {
			"A late event makes the cache stale.",
			run.Point{Component: "sidecar", Seam: journal.SeamAPI, Operation: "event buckets", Subject: "bc-*", Nth: 2},
			[]Kind{Stale, CutWatch},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var kinds []Kind
			for _, trial := range TimingOf(DefaultCallTimeout).Trials([]run.Point{tc.point}, nil, "") {
				kinds = append(kinds, trial.Kind)
				f := fault.Fault{Name: "f", Match: trial.Point.Match(), Effect: trial.Effect}
				if err := f.Validate(); err != nil {
					t.Errorf("%s cannot be injected: %v", trial, err)
				}
			}
			if diff := cmp.Diff(tc.want, kinds); diff != "" {
				t.Errorf("%s -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
