package driver_test

import (
	"testing"

	driver "example.com/driver-author"

	"github.com/cosi-emu/cosi-emu/scenarios"
)

// TestScenarios runs the scenarios of testdata in parallel.
func TestScenarios(t *testing.T) {
	tested := driver.New()
	t.Cleanup(func() {
		if buckets, accounts := tested.Leftovers(); buckets+accounts > 0 {
			t.Errorf("%d buckets and %d accounts are left", buckets, accounts)
		}
	})
	scenarios.Run(t, "testdata/*.yaml", scenarios.InProcess(tested, tested))
}

// TestRestart crashes the sidecar while a bucket is created. After the restart, the
// sidecar creates the same bucket, and no other.
func TestRestart(t *testing.T) {
	tested := driver.New()
	scenarios.New("restart").
		Apply(scenarios.Fields{
			"kind": "BucketClaim", "metadata": scenarios.Fields{"name": "photos"},
			"spec": scenarios.Fields{"bucketClassName": "${class}", "protocols": scenarios.List{"S3"}},
		}).
		Crash("sidecar").
		Expect("BucketClaim/photos", scenarios.Fields{"status": scenarios.Fields{"readyToUse": true}}).As("claim").
		Call(scenarios.Call{
			Method:  "DriverGetBucket",
			Request: scenarios.Fields{"bucketId": "${claim.status.boundBucketName}", "protocols": scenarios.List{scenarios.Fields{"type": "S3"}}},
		}).
		Run(t, scenarios.InProcess(tested, tested))
}
