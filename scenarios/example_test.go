package scenarios_test

import (
	"testing"

	"github.com/cosi-emu/cosi-emu/scenarios"
)

func TestClaim(t *testing.T) {
	scenarios.New("claim").
		Apply(scenarios.Fields{
			"kind": "BucketClaim", "metadata": scenarios.Fields{"name": "photos"},
			"spec": scenarios.Fields{"bucketClassName": "${class}", "protocols": scenarios.List{"S3"}},
		}).
		Crash("sidecar").
		Expect("BucketClaim/photos", scenarios.Fields{"status": scenarios.Fields{"readyToUse": true}}).
		Run(t)
}
