package deploy_test

import (
	"testing"

	"k8s.io/client-go/kubernetes"

	"github.com/cosi-emu/cosi-emu/bridge"
	"github.com/cosi-emu/cosi-emu/deploy"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/controlplanetest"
	"github.com/cosi-emu/cosi-emu/internal/manifest"
	"github.com/cosi-emu/cosi-emu/test/deploytest"
)

// TestBridgeRights verifies that the Role lets the ServiceAccount of the Pod do everything that the
// sidecar's bridge needs.
func TestBridgeRights(t *testing.T) {
	c := connect(t)
	if err := manifest.Apply(t.Context(), c, deploytest.Build(t, "rbac")); err != nil {
		t.Fatal(err)
	}
	user := "system:serviceaccount:" + deploy.Namespace + ":" + deploy.SidecarServiceAccount
	cfg, err := controlplanetest.Start(t).UserConfig(user, "system:serviceaccounts")
	if err != nil {
		t.Fatal(err)
	}
	client, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	store := bridge.NewConfigMaps(client.CoreV1().ConfigMaps(deploy.Namespace), "rights-test")
	for _, value := range []string{"1", "2"} {
		if err := store.Save(t.Context(), "a", value); err != nil {
			t.Fatal(err)
		}
	}
	if value, found, err := store.Load(t.Context(), "a"); value != "2" || !found || err != nil {
		t.Errorf("loaded %q, %t, %v; want 2", value, found, err)
	}
	if keys, err := store.Keys(t.Context()); len(keys) != 1 || err != nil {
		t.Errorf("keys %v, %v; want one", keys, err)
	}
	if err := store.Delete(t.Context(), "a"); err != nil {
		t.Error(err)
	}
}
