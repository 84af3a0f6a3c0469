package sidecar_test

import (
	"context"
	"fmt"
	"testing"

	"google.golang.org/protobuf/proto"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/drivertest"
)

// The finalizers are restored when a user removes them, and are there before the
// driver is called.
// KEP: FLOW-CREATE-3.2, FLOW-GRANT-4.3, FINAL-1
func TestProtectionIsRestored(t *testing.T) {
	cl := newTestCluster(t)
	cl.driver.Script("DriverGenerateBucketAccessId", func(ctx context.Context, _ proto.Message, next drivertest.Next) (proto.Message, error) {
		list := &v1alpha2.BucketAccessList{}
		if err := cl.List(ctx, list, client.InNamespace(cl.Namespace)); err != nil {
			return nil, err
		}
		for i := range list.Items {
			if !controllerutil.ContainsFinalizer(&list.Items[i], v1alpha2.ProtectionFinalizer) {
				t.Error("the driver is called for an access that may vanish")
			}
		}
		return next()
	})
	cl.start()
	bucket := cl.readyBucket()
	access := cl.access([]*v1alpha2.Bucket{bucket}, func(a *v1alpha2.BucketAccess) { a.Finalizers = nil })
	cl.WaitReady(access)
	secret, err := cl.secret(access, 0)
	cl.Must(err)
	for _, object := range []client.Object{bucket, access, secret} {
		cl.Eventually(func() error { return cl.isProtected(object) })
		cl.Modify(object, func() { object.SetFinalizers(nil) })
		cl.Eventually(func() error { return cl.isProtected(object) })
	}
}

func (cl *testCluster) isProtected(object client.Object) error {
	if err := cl.Refresh(object); err != nil {
		return err
	}
	if !controllerutil.ContainsFinalizer(object, v1alpha2.ProtectionFinalizer) {
		return fmt.Errorf("%T %s has no finalizer", object, object.GetName())
	}
	return nil
}
