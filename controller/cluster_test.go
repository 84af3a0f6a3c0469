package controller_test

import (
	"context"
	"sync"
	"testing"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/emulator/controlplane/controlplanetest"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// cluster is the control plane that all tests share: connected to once, so that
// the connections are not taken for leaks, and with the controller's RBAC rules.
var cluster struct {
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
	cluster.once.Do(func() {
		log.SetLogger(logr.Discard()) // or controller-runtime complains; the tests' controllers have their own
		cluster.admin, cluster.err = newAdmin(cfg)
	})
	if cluster.err != nil {
		tb.Fatalf("connect to the control plane: %v", cluster.err)
	}
	return cluster.admin
}

func newAdmin(cfg *rest.Config) (client.Client, error) {
	admin, err := harness.Connect(cfg)
	if err != nil {
		return nil, err
	}
	ctx := context.Background()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "cosi-system"}}
	if err := client.IgnoreAlreadyExists(admin.Create(ctx, namespace)); err != nil {
		return nil, err
	}
	return admin, harness.Install(ctx, admin, "../deploy/rbac/controller.yaml")
}

// cleanUp removes what the test has left, without asking anybody, so that the
// next test's controller finds an empty cluster.
func (h *fixture) cleanUp() {
	ctx, cancel := context.WithTimeout(context.Background(), harness.Timeout)
	defer cancel()
	for _, list := range []client.ObjectList{
		&v1alpha2.BucketAccessList{}, &v1alpha2.BucketClaimList{}, &v1alpha2.BucketList{},
		&v1alpha2.BucketClassList{}, &v1alpha2.BucketAccessClassList{},
	} {
		if err := h.removeAll(ctx, list); err != nil {
			h.t.Errorf("clean up: %v", err)
		}
	}
}

func (h *fixture) removeAll(ctx context.Context, list client.ObjectList) error {
	if err := h.List(ctx, list); err != nil {
		return err
	}
	for _, object := range objects(list) {
		if err := h.removeByForce(ctx, object); err != nil {
			return err
		}
	}
	return nil
}

// removeByForce deletes an object whatever protects it.
func (h *fixture) removeByForce(ctx context.Context, object client.Object) error {
	if err := client.IgnoreNotFound(h.Delete(ctx, object)); err != nil {
		return err
	}
	strip := client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"finalizers":null}}`))
	err := h.Patch(ctx, object, strip)
	if apierrors.IsInvalid(err) { // the API server's word for an object that has just gone
		return nil
	}
	return client.IgnoreNotFound(err)
}

func objects(list client.ObjectList) []client.Object {
	var found []client.Object
	_ = meta.EachListItem(list, func(o runtime.Object) error {
		if object, ok := o.(client.Object); ok {
			found = append(found, object)
		}
		return nil
	})
	return found
}
