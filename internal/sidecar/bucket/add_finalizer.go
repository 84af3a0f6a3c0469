package bucket

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// protection sets the finalizer before anything outside is touched: a Bucket
// that vanished after the driver had created something would leak it.
type protection struct{}

func (*protection) Walk(ctx context.Context, bucket *subject) (bool, error) {
	return true, bucket.PatchMetadata(ctx, func(b *v1alpha2.Bucket) {
		controllerutil.AddFinalizer(b, v1alpha2.ProtectionFinalizer)
	})
}
