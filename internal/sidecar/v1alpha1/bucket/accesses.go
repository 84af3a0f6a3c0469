package bucket

import (
	"context"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosireconcile "github.com/cosi-emu/cosi-emu/internal/reconcile"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/v1alpha1/bucketaccess"
)

// awaitAccesses blocks the deletion as long as a BucketAccess needs the bucket. Normally, an access
// releases its Bucket itself. A vanished one cannot: a user has removed its finalizer, or the API
// server has lost it. A kube-apiserver that deletes an object without finalizers ignores one that
// is added after it has read the object.
func (a *attempt) awaitAccesses(ctx context.Context) error {
	if !isAccessed(a.Object) {
		return nil
	}
	if err := a.checkAccesses(ctx); err != nil {
		return err
	}
	// During this Bucket's turn, no access to it is granted.
	return a.line.Call(a.Object, func() error {
		if err := a.Reload(ctx); err != nil {
			return err
		}
		return a.releaseAccessed(ctx)
	}, turns(a.Object)...)
}

// releaseAccessed removes the finalizer of accesses from a Bucket that no access needs. If only the
// API server has such an access, the cache is outdated.
func (a *attempt) releaseAccessed(ctx context.Context) error {
	if !isAccessed(a.Object) {
		return nil
	}
	if err := a.checkAccesses(ctx); err != nil {
		return err
	}
	needed, err := bucketaccess.IsNeededLive(ctx, a.live, a.served.Namespaces, a.Object)
	switch {
	case err != nil:
		return err
	case needed:
		a.Requeue()
		return cosireconcile.ErrDone
	case !a.seesAccesses():
		return reasons.Blocked(v1alpha2.ReasonDeletionBlocked, "a BucketAccess of another namespace may need this Bucket, which was not "+
			"created for its BucketClaim, and the sidecar serves only %s: if no BucketAccess does, remove the finalizer %s",
			a.served.Namespaces, v1alpha1.BucketAccessBucketFinalizer)
	}
	return a.PatchMetadata(ctx, func(b *v1alpha1.Bucket) { controllerutil.RemoveFinalizer(b, v1alpha1.BucketAccessBucketFinalizer) })
}

// seesAccesses reports whether the sidecar sees all accesses that may need the Bucket. They are in the namespace of
// their claim. A Bucket that was created for its claim, whose UID ends the name, has never had another one. An
// administrator's Bucket may have been bound in several namespaces.
func (a *attempt) seesAccesses() bool {
	claim := a.Object.Spec.BucketClaim
	return a.served.Namespaces.All() || claim != nil && claim.UID != "" && strings.HasSuffix(a.Object.Name, string(claim.UID))
}

// checkAccesses returns the reason for which a Bucket waits, if the cache has an access that
// needs it.
func (a *attempt) checkAccesses(ctx context.Context) error {
	needed, err := bucketaccess.IsNeeded(ctx, a.cached, a.Object)
	if err == nil && needed {
		return reasons.Blocked(v1alpha2.ReasonDeletionBlocked, "waiting for the BucketAccesses of this Bucket to be deleted")
	}
	return err
}
