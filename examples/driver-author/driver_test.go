package driver_test

import (
	"testing"

	"github.com/cosi-emu/cosi-emu/scenarios"

	driver "example.com/driver-author"
)

// TestScenarios runs the scenarios of testdata, all at the same time.
func TestScenarios(t *testing.T) {
	tested := driver.New()
	t.Cleanup(func() {
		if buckets, accounts := tested.Left(); buckets+accounts > 0 {
			t.Errorf("%d buckets and %d accounts are left", buckets, accounts)
		}
	})
	scenarios.Run(t, "testdata/*.yaml", scenarios.InProcess(tested, tested))
}

// TestRestart has the sidecar die while a bucket is made: when it runs again, it
// makes the same bucket, and no other.
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
