package cause

import (
	"testing"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// TestDid verifies that a sentence names who did what, to which object, and the outcome if that is not success.
func TestDid(t *testing.T) {
	t.Parallel()
	for event, want := range map[string]string{
		`sidecar | rpc | DriverCreateBucket | b | OK`:                 "sidecar called DriverCreateBucket b",
		`sidecar | rpc | DriverDeleteBucket | b | FailedPrecondition`: "sidecar called DriverDeleteBucket b, which returned FailedPrecondition",
		`controller | api | create buckets | b | OK`:                  "controller created Bucket b",
		`controller | api | update bucketaccesses | ns/a | Conflict`:  "controller updated BucketAccess ns/a, which returned Conflict",
		`sidecar | api | patch buckets/status | b | OK`:               "sidecar patched the status of Bucket b",
		`sidecar | api | delete secrets | ns/s | OK`:                  "sidecar deleted Secret ns/s",
		`sidecar | api | update leases | ns/l | OK`:                   "sidecar updated leases ns/l",
		`driver | store | AdminCreateBucket | b | OK`:                 "driver called AdminCreateBucket b",
		`sidecar | process | ` + journal.StepFail + ` | | Failed`:     "the process of sidecar ended",
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			o := runOf(t, event)
			if got := newSearch(o, o).did(o.Events[0]); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}
