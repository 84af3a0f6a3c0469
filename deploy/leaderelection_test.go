package deploy_test

import (
	"slices"
	"testing"

	"github.com/cosi-emu/cosi-emu/test/deploytest"
)

// TestLeaderElection verifies that the controller and each sidecar elect a leader, so that a Deployment can have several
// replicas, and the old and the new Pod of an update do not work at the same time.
// Design: CK-DEPLOY-7
func TestLeaderElection(t *testing.T) {
	for dir, want := range map[string]string{
		".": "controller", "example-driver": "sidecar", "bridge": "sidecar", "v1alpha1": "controller", "v1alpha1/example-driver": "sidecar",
	} {
		t.Run(dir, func(t *testing.T) {
			var found []string
			for name, template := range deploytest.PodTemplates(t, deploytest.Build(t, dir)) {
				for _, c := range template.Spec.Containers {
					if len(c.Args) == 0 || c.Args[0] != want {
						continue
					}
					found = append(found, name)
					for _, flag := range []string{"--leader-elect", "--leader-election-namespace=cosi-system"} {
						if !slices.Contains(c.Args, flag) {
							t.Errorf("container %s of %s has no flag %s in %v", c.Name, name, flag, c.Args)
						}
					}
				}
			}
			if len(found) != 1 {
				t.Errorf("Deployments with the %s: %v, want one", want, found)
			}
		})
	}
}
