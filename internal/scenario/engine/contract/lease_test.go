package contract

import (
	"slices"
	"testing"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/scenario/engine"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
)

// deposed takes the Lease of the sidecar while it creates a bucket, and settles: the renewal of
// Leases is not progress.
const deposed = `
steps:
- inject: {name: f, seam: rpc, component: sidecar, operation: DriverCreateBucket, nth: 1, loseLease: 1s}
- apply: {kind: BucketClaim, metadata: {name: photos}, spec: {bucketClassName: "${class}", protocols: [S3]}}
- timeout: 1m
  expect: {BucketClaim/photos: {status: {readyToUse: true}}}
- settle: {}
- delete: BucketClaim/photos
- expect: {BucketClaim/photos: absent}
`

// TestLoseLease runs a scenario that takes a Lease, on an emulator with Leases and on one without.
func TestLoseLease(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		reason string
		elects bool
		want   outcome.Outcome
		steps  []string // in the life of the sidecar
	}{
		"Elected": {
			"The next incarnation continues.", true, outcome.Passed,
			[]string{"start", "ready", journal.StepLoseLease, "fail", "start", "ready"},
		},
		"WithoutElection": {"There is no Lease to lose.", false, outcome.Skipped, []string{"start", "ready"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			emu := emulatortest.Start(t, emulator.Options{LeaderElection: tc.elects})
			result := engine.New(emu, engine.Options{}).Run(t.Context(), parse(t, deposed))
			if result.Outcome != tc.want {
				t.Errorf("%s: %s\n%s", tc.reason, result.Outcome, explain(result))
			}
			var steps []string
			for _, e := range emu.Journal().Since(0) {
				if e.Component == emulator.ComponentSidecar && e.Seam == "process" {
					steps = append(steps, e.Operation.Name)
				}
			}
			if !slices.Equal(steps, tc.steps) {
				t.Errorf("%s: the sidecar's life: %q, want %q", tc.reason, steps, tc.steps)
			}
		})
	}
}
