package bucket

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// addFinalizer comes before every call to the driver: otherwise a Bucket that vanished after the
// driver had created its bucket would leak it. The same patch labels a Bucket that an administrator
// or an earlier controller has created.
func (a *attempt) addFinalizer(ctx context.Context) error {
	return a.PatchMetadata(ctx, func(b *v1alpha2.Bucket) {
		controllerutil.AddFinalizer(b, v1alpha2.ProtectionFinalizer)
		v1alpha2.SetDriverLabel(&b.ObjectMeta, b.Spec.DriverName)
	})
}
