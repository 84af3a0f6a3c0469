package suite

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestLifecycle checks that the scenario is the one of deploy/explore.
func TestLifecycle(t *testing.T) {
	t.Parallel()
	want, err := os.ReadFile("../../../deploy/explore/scenario.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), lifecycle); diff != "" {
		t.Errorf("lifecycle.yaml differs from deploy/explore/scenario.yaml; copy it again: -want, +got:\n%s", diff)
	}
}
