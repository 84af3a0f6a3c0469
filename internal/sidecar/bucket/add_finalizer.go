package bucket

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// addFinalizer comes before anything outside is touched: a Bucket that vanished
// after the driver had created something would leak it.
func (a *attempt) addFinalizer(ctx context.Context) error {
	return a.PatchMetadata(ctx, func(b *v1alpha2.Bucket) {
		controllerutil.AddFinalizer(b, v1alpha2.ProtectionFinalizer)
	})
}
