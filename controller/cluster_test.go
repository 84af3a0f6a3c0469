package controller_test

import (
	"context"
	"sync"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/controlplanetest"
	"github.com/cosi-emu/cosi-emu/test/controllertest"
)

// shared is the control plane that all tests share: connected to once, so that
// the connections are not taken for leaks, and with the controller's RBAC rules.
var shared struct {
	once  sync.Once
	admin client.Client
	err   error
}

func connect(tb testing.TB) client.Client {
	tb.Helper()
	if testing.Short() {
		tb.Skip("needs a control plane")
	}
	cfg := controlplanetest.Start(tb).AdminConfig()
	shared.once.Do(func() {
		shared.admin, shared.err = controllertest.NewAdmin(cfg, "../deploy/rbac/controller.yaml")
	})
	if shared.err != nil {
		tb.Fatalf("connect to the control plane: %v", shared.err)
	}
	return shared.admin
}

// cleanUp removes what the test has left.
func (h *fixture) cleanUp() {
	controllertest.RemoveAll(h.t, h.Client,
		&v1alpha2.BucketAccessList{}, &v1alpha2.BucketClaimList{}, &v1alpha2.BucketList{},
		&v1alpha2.BucketClassList{}, &v1alpha2.BucketAccessClassList{})
}

// removeByForce deletes an object whatever protects it.
func (h *fixture) removeByForce(ctx context.Context, object client.Object) error {
	return controllertest.RemoveByForce(ctx, h.Client, object)
}

// events are the Events of an object by reason.
func (h *fixture) events(ctx context.Context, object client.Object) map[string]string {
	h.t.Helper()
	return controllertest.Events(ctx, h.t, h.Client, object)
}
