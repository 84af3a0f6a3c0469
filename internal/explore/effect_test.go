package explore

import (
	"testing"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/google/go-cmp/cmp"
)

// TestEffects verifies that every effect of every point can be injected there.
func TestEffects(t *testing.T) {
	tests := map[string]struct {
		reason string
		point  Point
		want   []Kind
	}{
		"Write": {
			"An update can conflict.", Point{"controller", journal.SeamAPI, "update secrets", "*/key", 1},
			[]Kind{CrashBefore, CrashAfter, Fail, Conflict, LoseReply, Delay, Duplicate},
		},
		"Read": {
			"A read can be stale.", Point{"controller", journal.SeamAPI, "get secrets", "*/key", 1},
			[]Kind{CrashBefore, Fail, Delay, Stale},
		},
		"CallThatReads": {
			"A read has no effect that a crash could follow.", Point{"sidecar", journal.SeamRPC, "DriverGetBucket", "b", 1},
			[]Kind{CrashBefore, Fail, Delay},
		},
		"Call": {
			"", Point{"sidecar", journal.SeamRPC, "DriverCreateBucket", "bc-*", 1},
			[]Kind{CrashBefore, CrashAfter, Fail, LoseReply, Delay, Duplicate},
		},
		"Deletion": {
			"It must be retried, whatever the driver says.", Point{"sidecar", journal.SeamRPC, "DriverDeleteBucket", "bc-*", 1},
			[]Kind{CrashBefore, CrashAfter, Fail, Reject, LoseReply, Delay, Duplicate},
		},
		"Backend": {
			"", Point{"driver", journal.SeamStore, "AdminPutAccount", "ba-*", 1},
			[]Kind{CrashBefore, CrashAfter, Fail, LoseReply, Delay, Duplicate},
		},
		"S3": {
			"", Point{"store", journal.SeamStore, "PutObject", "bc-*/hello", 1},
			[]Kind{CrashBefore, CrashAfter, Fail, LoseReply, Delay, Duplicate},
		},
		"Event": {
			"A late event makes the cache stale.", Point{"sidecar", journal.SeamAPI, "event buckets", "bc-*", 2},
			[]Kind{Stale, CutWatch},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var kinds []Kind
			for _, trial := range timingOf(DefaultCallTimeout).trials([]Point{tc.point}, nil, "") {
				kinds = append(kinds, trial.Kind)
				f := fault.Fault{Name: "f", Match: trial.Point.match(), Effect: trial.Effect}
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
