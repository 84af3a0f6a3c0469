package realcluster_test

import (
	"testing"

	"github.com/cosi-emu/cosi-emu/test/realcluster"
)

// TestCluster installs COSI in a cluster from the manifests, as they are, and uses it while Pods, nodes and
// certificates come and go. At the end, Buckets and the backend of the driver agree.
func TestCluster(t *testing.T) {
	s := suite{realcluster.Start(t)}
	s.ApplyDir(t, "../../deploy")
	s.ApplyDir(t, "../../deploy/example-driver")
	for _, tc := range []struct {
		name string
		test func(*testing.T, suite)
	}{
		{"Lifecycle", testLifecycle},
		{"Bridge", testBridge},
		{"NodeAdapter", testNodeAdapter},
		{"Explore", testExplore},
		{"Disturbance", testDisturbances},
		{"ExistingCluster", testExistingCluster},
		{"NothingLeaked", testNothingLeaked},
		{"V1alpha1", testV1alpha1},
		{"Chart", testChart},
	} {
		if !t.Run(tc.name, func(t *testing.T) { tc.test(t, s) }) {
			return // the next ones need a cluster in order
		}
	}
}
