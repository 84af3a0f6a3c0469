package bucketaccess

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// releaseClaims removes the annotation from claims that no other access needs.
func (a *attempt) releaseClaims(ctx context.Context) error {
	claims, _, err := a.getClaims(ctx)
	if err != nil {
		return err
	}
	for _, claim := range claims {
		if err := a.Protector.Unprotect(ctx, claim); err != nil {
			return err
		}
	}
	return nil
}

// removeFinalizer is locked, like every patch of metadata. If the cache has not seen a hand-off,
// the write fails. Without the lock the access would vanish while the driver's credentials for it
// stay valid, and nothing would record what to revoke.
func (a *attempt) removeFinalizer(ctx context.Context) error {
	return a.PatchMetadata(ctx, func(access *v1alpha2.BucketAccess) {
		controllerutil.RemoveFinalizer(access, v1alpha2.ProtectionFinalizer)
	})
}
