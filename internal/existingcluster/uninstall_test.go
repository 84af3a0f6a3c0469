package existingcluster_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/deploy"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/controlplanetest"
	"github.com/cosi-emu/cosi-emu/internal/existingcluster"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// install creates everything that Install can create in the cluster.
func install(t *testing.T, c *existingcluster.Cluster) {
	t.Helper()
	if err := errors.Join(c.Install(t.Context()), c.PrepareLease(t.Context(), deploy.Namespace, "lease")); err != nil {
		t.Fatal(err)
	}
	if namespaceOf(t) == nil {
		t.Fatal("there is no namespace after Install()")
	}
}

// TestLeave: Uninstall deletes everything except earlier objects.
func TestLeave(t *testing.T) {
	c := openShared(t)
	theirs := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "cosi-sidecar"}}
	create(t, theirs)
	install(t, c)
	if left, err := c.Uninstall(t.Context(), ""); err != nil || len(left) > 0 || namespaceOf(t) != nil {
		t.Errorf("Leave() = %v, %v, and the namespace is there: %t", left, err, namespaceOf(t) != nil)
	}
	if err := admin(t).Get(t.Context(), client.ObjectKeyFromObject(theirs), theirs); err != nil || len(theirs.Rules) > 0 {
		t.Errorf("a role that was there before: %v, with rules %v", err, theirs.Rules)
	}
}

// TestUninstallKeepsForeignObjects: the namespace stays while it contains an object of another
// owner.
func TestUninstallKeepsForeignObjects(t *testing.T) {
	c := openShared(t)
	install(t, c)
	foreign := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: deploy.Namespace, Name: "foreign"}}
	create(t, foreign)

	left, err := c.Uninstall(t.Context(), "")
	if err != nil || len(left) != 1 || !strings.Contains(left[0], deploy.Namespace) || !strings.Contains(left[0], "foreign") {
		t.Errorf("Leave() = %q, %v", left, err)
	}
	if err := admin(t).Get(t.Context(), client.ObjectKeyFromObject(foreign), foreign); err != nil {
		t.Errorf("the object of another owner: %v", err)
	}
	key := client.ObjectKey{Namespace: deploy.Namespace, Name: deploy.ControllerServiceAccount}
	if err := admin(t).Get(t.Context(), key, &corev1.ServiceAccount{}); !apierrors.IsNotFound(err) {
		t.Errorf("the ServiceAccount after Leave(): %v", err)
	}
	if err := admin(t).Delete(t.Context(), foreign); err != nil {
		t.Fatal(err)
	}
	if left, err := c.Uninstall(t.Context(), ""); err != nil || len(left) > 0 || namespaceOf(t) != nil {
		t.Errorf("Leave() = %v, %v, and the namespace is there: %t", left, err, namespaceOf(t) != nil)
	}
}

// TestLeaveOthers: the objects of another emulator stay.
func TestLeaveOthers(t *testing.T) {
	c := openShared(t)
	other, err := existingcluster.Open(existingcluster.Options{Kubeconfig: write(t, controlplanetest.Start(t).Kubeconfig()), Owner: "other"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(other.Close)
	if err := other.Install(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left, err := c.Uninstall(t.Context(), ""); err != nil || len(left) > 0 || namespaceOf(t) == nil {
		t.Errorf("Leave() = %v, %v", left, err)
	}
	if left, err := other.Uninstall(t.Context(), ""); err != nil || len(left) > 0 || namespaceOf(t) != nil {
		t.Errorf("Leave() of the owner = %v, %v", left, err)
	}
}

// TestCheckKinds: a cluster with another version of COSI is rejected.
func TestCheckKinds(t *testing.T) {
	c := openShared(t)
	if err := c.CheckKinds(t.Context()); err != nil {
		t.Error(err)
	}
	definition := otherVersion(t)
	if err := c.CheckKinds(t.Context()); !errors.Is(err, existingcluster.ErrNotInstalled) || !strings.Contains(err.Error(), "bucketclasses") {
		t.Errorf("CheckKinds() = %v", err)
	}
	if err := c.Install(t.Context()); !errors.Is(err, existingcluster.ErrNotInstalled) || !strings.Contains(err.Error(), definition) {
		t.Errorf("Install() = %v", err)
	}
}

// create creates an object until the test ends.
func create(t *testing.T, object client.Object) {
	t.Helper()
	if err := admin(t).Create(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), harness.Timeout)
		defer cancel()
		if err := client.IgnoreNotFound(admin(t).Delete(ctx, object)); err != nil {
			t.Error(err)
		}
	})
}

// otherVersion makes one of the definitions stop serving our version, until the test ends, and
// returns its name.
func otherVersion(t *testing.T) string {
	t.Helper()
	const name = "bucketclasses.objectstorage.k8s.io"
	c := openShared(t)
	serve := func(served bool) {
		definition := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: name}}
		definition.SetGroupVersionKind(apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition"))
		patch := fmt.Appendf(nil, `[{"op": "replace", "path": "/spec/versions/0/served", "value": %t}]`, served)
		ctx, cancel := context.WithTimeout(context.Background(), harness.Timeout)
		defer cancel()
		if err := admin(t).Patch(ctx, definition, client.RawPatch(types.JSONPatchType, patch)); err != nil {
			t.Fatal(err)
		}
		harness.Until(t, fmt.Sprintf("%s served: %t", name, served), func(ctx context.Context) (bool, error) {
			return (c.CheckKinds(ctx) == nil) == served, nil
		})
	}
	serve(false)
	t.Cleanup(func() { serve(true) })
	return name
}
