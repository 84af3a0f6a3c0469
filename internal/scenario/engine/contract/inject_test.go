package contract

import (
	"slices"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/scenario/engine"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
)

// TestInject runs the whole of COSI with one fault each. The outcome is as without the fault, and
// the journal shows the fault exactly at the chosen operation.
func TestInject(t *testing.T) {
	t.Parallel()
	emu := emulatortest.Start(t, emulator.Options{})
	e := engine.New(emu, engine.Options{})
	tests := map[string]struct {
		reason, fault string
		want          []string // the operations that were affected, with their outcomes
	}{
		"Conflict": {
			reason: "The API server rejects a write.",
			fault:  `{seam: api, component: controller, operation: "* bucketclaims/status", nth: 1, fail: 409}`,
			want:   []string{"controller patch bucketclaims/status Conflict"},
		},
		"LostReply": {
			reason: "The bucket is created, and the sidecar gets no reply.",
			fault:  `{seam: rpc, operation: DriverCreateBucket, nth: 1, loseReply: DeadlineExceeded}`,
			want:   []string{"sidecar DriverCreateBucket DeadlineExceeded"},
		},
		"CrashAfter": {
			reason: "The sidecar dies when the bucket is created.",
			fault:  `{seam: rpc, component: sidecar, operation: DriverCreateBucket, nth: 1, crash: after}`,
			want:   []string{"sidecar crash OK", "sidecar DriverCreateBucket Fenced"},
		},
		"BackendStep": {
			reason: "One step of the driver fails.",
			fault:  `{seam: store, operation: AdminPutAccount, nth: 1, fail: InternalError}`,
			want:   []string{"driver AdminPutAccount InternalError"},
		},
		"SlowStart": {
			reason: "Only starts of the driver would be affected.",
			fault:  `{seam: process, component: driver, delay: 1s, optional: true}`,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			mark := emu.Journal().Mark()
			before, after, _ := strings.Cut(lifecycle, "- calls:") // the number of calls may differ
			_, after, _ = strings.Cut(after, "- settle:")
			fault := "steps:\n- inject: {name: f, " + strings.TrimPrefix(tc.fault, "{") + "\n"
			steps := strings.Replace(before+"- settle:"+after, "steps:\n", fault, 1)
			result := e.Run(t.Context(), parse(t, steps))
			if result.Outcome != outcome.Passed {
				t.Errorf("%s: %s\n%s", tc.reason, result.Outcome, explain(result))
			}
			if got := affected(emu.Journal().Since(mark)); !slices.Equal(got, tc.want) {
				t.Errorf("%s\naffected: %q, want %q", tc.reason, got, tc.want)
			}
			if left := emu.Faults().List(); len(left) > 0 {
				t.Errorf("faults that are left: %v", left)
			}
		})
	}
}

// TestSettleAwaitsRevival crashes a component after the awaited event. It starts again before
// everything settles, although that takes longer than the required silence.
func TestSettleAwaitsRevival(t *testing.T) {
	t.Parallel()
	emu := emulatortest.Start(t, emulator.Options{})
	result := engine.New(emu, engine.Options{}).Run(t.Context(), parse(t, `
steps:
- inject: {name: f, seam: api, component: controller, operation: patch bucketclaims, nth: 1, crash: after, down: 1s}
- apply: {kind: BucketClaim, metadata: {name: photos}, spec: {bucketClassName: "${class}", protocols: [S3]}}
- settle:
- expect: {BucketClaim/photos: {status: {readyToUse: true}}}
  timeout: 300ms
`))
	if result.Outcome != outcome.Passed {
		t.Errorf("%s\n%s", result.Outcome, explain(result))
	}
}

func affected(events []journal.Event) []string {
	var all []string
	for _, e := range events {
		if e.Fault != "" {
			all = append(all, e.Component+" "+e.Operation.Name+" "+e.Outcome)
		}
	}
	return all
}
