package bucketaccess

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/controller/ownership"
)

// finalize lets a deleted access go, once the sidecar has cleaned up behind it
// or if the sidecar never had it.
//
// The finalizer goes with a lock. A hand-off that the cache has not seen would
// make the write fail; without the lock the access would vanish, and credentials
// that the driver has made for it would stay valid with nobody to revoke them.
func (r *Reconciler) finalize(ctx context.Context, v *visit) error {
	if ownership.SidecarOwns(v.access) || !controllerutil.ContainsFinalizer(v.access, v1alpha2.ProtectionFinalizer) {
		return nil
	}
	if err := r.releaseClaims(ctx, v); err != nil {
		return err
	}
	before := v.access.DeepCopy()
	controllerutil.RemoveFinalizer(v.access, v1alpha2.ProtectionFinalizer)
	return r.patchFinalizers(ctx, before, v.access)
}

// releaseClaims takes the annotation off those claims that this was the last
// access to need. Claims that are gone need nothing.
func (r *Reconciler) releaseClaims(ctx context.Context, v *visit) error {
	claims, _, err := r.claims(ctx, v.access)
	if err != nil {
		return err
	}
	for _, claim := range claims {
		if err := r.References.Release(ctx, claim, v.access.ResourceVersion); err != nil {
			return err
		}
	}
	return nil
}
