package v1alpha1_test

import (
	"context"
	"strings"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	cosicontroller "github.com/cosi-emu/cosi-emu/controller"
	controllerv1alpha1 "github.com/cosi-emu/cosi-emu/controller/v1alpha1"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/controlplanetest"
)

// TestClusterOfAnotherVersion: the error names the versions that the cluster serves, and the remedy.
func TestClusterOfAnotherVersion(t *testing.T) {
	if testing.Short() {
		t.Skip("needs control planes")
	}
	for _, tc := range []struct {
		cluster, needs objectstorage.Version
		newController  func(*rest.Config) error
	}{
		{objectstorage.V1alpha2, objectstorage.V1alpha1, func(cfg *rest.Config) error {
			_, err := controllerv1alpha1.New(cfg, controllerv1alpha1.Options{})
			return err
		}},
		{objectstorage.V1alpha1, objectstorage.V1alpha2, func(cfg *rest.Config) error {
			_, err := cosicontroller.New(cfg, cosicontroller.Options{})
			return err
		}},
	} {
		t.Run(string(tc.needs), func(t *testing.T) {
			err := tc.newController(controlplanetest.StartVersion(t, tc.cluster).AdminConfig())
			if err == nil {
				t.Fatal("New succeeds")
			}
			for _, kind := range []string{"buckets", "bucketclaims", "bucketclasses", "bucketaccesses", "bucketaccessclasses"} {
				want := "CustomResourceDefinition " + kind + ".objectstorage.k8s.io serves " + string(tc.cluster) + " and not " + string(tc.needs) +
					": run the controller and the sidecar of " + string(tc.cluster) + " in this cluster"
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q lacks %q", err, want)
				}
			}
		})
	}
}

// TestStartEnds: the controller ends when its context does.
func TestStartEnds(t *testing.T) {
	cl := prepare(t)
	c := cl.newController()
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	cl.Must(c.Start(ended))
	if err := c.WaitReady(context.Background()); err == nil {
		t.Error("WaitReady succeeds after the end")
	}
}
