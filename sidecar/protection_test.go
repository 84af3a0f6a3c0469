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
	w := newWorld(t)
	w.driver.Script("DriverGenerateBucketAccessId", func(ctx context.Context, _ proto.Message, next drivertest.Next) (proto.Message, error) {
		list := &v1alpha2.BucketAccessList{}
		if err := w.List(ctx, list, client.InNamespace(w.Namespace)); err != nil {
			return nil, err
		}
		for i := range list.Items {
			if !controllerutil.ContainsFinalizer(&list.Items[i], v1alpha2.ProtectionFinalizer) {
				t.Error("the driver is called for an access that may vanish")
			}
		}
		return next()
	})
	w.start()
	bucket := w.readyBucket()
	access := w.access([]*v1alpha2.Bucket{bucket}, func(a *v1alpha2.BucketAccess) { a.Finalizers = nil })
	w.WaitReady(access)
	secret, err := w.secret(access, 0)
	w.Must(err)
	for _, object := range []client.Object{bucket, access, secret} {
		w.Eventually(func() error { return w.isProtected(object) })
		w.Modify(object, func() { object.SetFinalizers(nil) })
		w.Eventually(func() error { return w.isProtected(object) })
	}
}

func (w *world) isProtected(object client.Object) error {
	if err := w.Refresh(object); err != nil {
		return err
	}
	if !controllerutil.ContainsFinalizer(object, v1alpha2.ProtectionFinalizer) {
		return fmt.Errorf("%T %s has no finalizer", object, object.GetName())
	}
	return nil
}
