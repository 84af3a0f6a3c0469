package controller_test

import (
	"context"
	"errors"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/cluster"
)

// TestProtectionIsRestored: when a user removes the finalizer of a claim, or of an access that waits
// for its claim, the controller restores it.
// KEP: FINAL-1
func TestProtectionIsRestored(t *testing.T) {
	cl := start(t)
	cl.Make(class(), newAccessClass())
	claim := cl.claim("data")
	access := cl.access("app", "data")
	cl.Make(claim, access)
	cl.bucketOf(claim)
	restored(cl, claim)
	cluster.Await(cl.Cluster, claim, "is held while the access waits", protected)
	restored(cl, access)
}

func restored[T client.Object](cl *testCluster, object T) {
	cl.Helper()
	hasFinalizer := func(o T) error {
		if !controllerutil.ContainsFinalizer(o, v1alpha2.ProtectionFinalizer) {
			return errors.New("it has none")
		}
		return nil
	}
	cluster.Await(cl.Cluster, object, "has its finalizer", hasFinalizer)
	strip := client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"finalizers":null}}`))
	cl.Must(cl.Patch(context.Background(), object, strip))
	cluster.Await(cl.Cluster, object, "has its finalizer again", hasFinalizer)
}
