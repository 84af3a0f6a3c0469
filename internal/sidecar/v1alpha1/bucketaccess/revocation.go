package bucketaccess

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosireconcile "github.com/cosi-emu/cosi-emu/internal/reconcile"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/connection"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/v1alpha1/driver"
)

// identify checks that an access that is being deleted is the driver's, and creates a missing
// record: an access that upstream's sidecar has granted has none.
func (a *attempt) identify(ctx context.Context) error {
	if recordOf(a.Object) != nil {
		return nil // of this driver, by owns
	}
	class, err := a.classFrom(ctx, a.live)
	if err != nil {
		return err
	}
	bucket, err := a.boundBucket(ctx)
	if err != nil {
		return err
	}
	wanted := &record{}
	if bucket != nil {
		*wanted = record{DriverName: bucket.Spec.DriverName, BucketName: bucket.Name, BucketID: bucket.Status.BucketID}
	}
	if class != nil {
		wanted.DriverName, wanted.AuthenticationType = class.DriverName, class.AuthenticationType
	}
	switch {
	case wanted.DriverName == "":
		return reasons.Blocked(v1alpha2.ReasonDeletionBlocked, "class, BucketClaim and Bucket do not exist any more, so the driver "+
			"that has to revoke the access is unknown: remove the finalizer %s", v1alpha1.BucketAccessFinalizer)
	case !a.driver.Serves(wanted.DriverName):
		return cosireconcile.ErrDone
	}
	return a.patch(ctx, wanted)
}

// boundBucket returns the Bucket of the access by its claim, or by the references of Buckets to
// their claims, or nil.
func (a *attempt) boundBucket(ctx context.Context) (*v1alpha1.Bucket, error) {
	claim, err := objectFrom[v1alpha1.BucketClaim](ctx, a.live, a.claimKey())
	if err != nil {
		return nil, err
	}
	if claim != nil && claim.Status.BucketName != "" {
		return a.liveBucket(ctx, claim.Status.BucketName)
	}
	buckets := &v1alpha1.BucketList{}
	if err := a.live.List(ctx, buckets); err != nil {
		return nil, err
	}
	for i := range buckets.Items {
		if isBoundTo(&buckets.Items[i], a.Object) {
			return &buckets.Items[i], nil
		}
	}
	return nil, nil
}

func isBoundTo(bucket *v1alpha1.Bucket, access *v1alpha1.BucketAccess) bool {
	ref := bucket.Spec.BucketClaim
	return ref != nil && ref.Namespace == access.Namespace && ref.Name == access.Spec.BucketClaimName
}

// revoke lets the driver revoke the access, and releases the Bucket.
func (a *attempt) revoke(ctx context.Context) error {
	found := recordOf(a.Object)
	return a.line.Call(a.Object, func() error {
		// The cache may be outdated: the current account counts.
		if err := a.Reload(ctx); err != nil {
			return err
		}
		if a.Object.DeletionTimestamp.IsZero() || recordOf(a.Object) == nil {
			a.Requeue()
			return cosireconcile.ErrDone
		}
		if err := a.revokeInTurn(ctx, recordOf(a.Object)); err != nil {
			return err
		}
		return a.releaseBucket(ctx, found.BucketName)
	}, driver.Turns(found.BucketName, found.BucketID)...)
}

func (a *attempt) revokeInTurn(ctx context.Context, found *record) error {
	bucket, err := a.liveBucket(ctx, found.BucketName)
	if err != nil {
		return err
	}
	if a.Object.Status.AccountID == "" {
		if err := a.learnAccount(ctx, found, bucket); err != nil {
			return err
		}
	}
	if err := a.checkSecretGone(ctx); err != nil {
		return err
	}
	return a.revokeAccounts(ctx, found, bucket)
}

// revokeAccounts lets the driver revoke each account of the access. The Bucket may not exist any
// more.
func (a *attempt) revokeAccounts(ctx context.Context, found *record, bucket *v1alpha1.Bucket) error {
	bucketID := a.grantedBucketID(found, bucket)
	if bucketID == "" {
		return nil // no call can name a bucket that is gone
	}
	for _, account := range accounts(a.Object, found) {
		if err := a.driver.RevokeBucketAccess(ctx, bucketID, account); err != nil {
			return connection.ReasonFor(err)
		}
	}
	return nil
}

// grantedBucketID returns the ID of the bucket to which the driver has granted access. The Bucket of that name may be
// another one now. The record lacks the ID if another sidecar has granted the access.
func (a *attempt) grantedBucketID(found *record, bucket *v1alpha1.Bucket) string {
	if found.BucketID == "" && bucket != nil && a.driver.Serves(bucket.Spec.DriverName) {
		return bucket.Status.BucketID
	}
	return found.BucketID
}

// learnAccount finds out which account an earlier call may have created, without the ID
// being saved, by repeating the call. Without its bucket no account has access to it.
func (a *attempt) learnAccount(ctx context.Context, found *record, bucket *v1alpha1.Bucket) error {
	bucketID := a.grantedBucketID(found, bucket)
	if bucket == nil || bucketID == "" {
		return nil
	}
	if err := a.keepBucket(ctx, bucket); err != nil { // a write that failed may have been the first
		return err
	}
	class, err := a.classFrom(ctx, a.live)
	if err != nil {
		return err
	}
	var parameters map[string]string
	if class != nil && a.driver.Serves(class.DriverName) {
		parameters = class.Parameters
	}
	granted, err := a.driver.GrantBucketAccess(ctx, a.request(bucketID, found.AuthenticationType, parameters))
	switch {
	case err != nil && a.failures.HasNothing(a.Object.UID, err):
		return nil
	case err != nil && connection.IsInvalidResponse(err):
		return reasons.Failed(v1alpha2.ReasonInvalidDriverResponse, "%v", err)
	case err != nil:
		return connection.ReasonFor(err)
	}
	return a.saveAccount(ctx, unsavedAccount{a.Object.UID, found.BucketName, bucketID, granted.AccountID})
}

// checkSecretGone reads the Secret directly before the access is revoked.
func (a *attempt) checkSecretGone(ctx context.Context) error {
	secret, err := a.secrets.Get(ctx, a.secretKey())
	if err != nil || secret == nil || !belongs(secret, a.Object) {
		return err
	}
	a.Requeue()
	return cosireconcile.ErrDone
}

// releaseBucket removes the finalizer that keeps the Bucket, unless another access needs it. The
// Bucket is read first: the patch is locked to a time without another access. A Bucket that is bound in a namespace that
// the sidecar does not serve keeps the finalizer, because accesses there may need it.
func (a *attempt) releaseBucket(ctx context.Context, name string) error {
	bucket, err := a.liveBucket(ctx, name)
	if err != nil || bucket == nil || !isAccessed(bucket) || !a.driver.Serves(bucket.Spec.DriverName) ||
		!a.options.Namespaces.HasClaim(bucket.Spec.BucketClaim) {
		return err
	}
	for _, from := range []client.Reader{a.cached, a.live} {
		if needed, err := a.isNeeded(ctx, from, bucket); err != nil || needed {
			return err
		}
	}
	stored := bucket.DeepCopy()
	controllerutil.RemoveFinalizer(bucket, v1alpha1.BucketAccessBucketFinalizer)
	err = a.live.Patch(ctx, bucket, client.MergeFromWithOptions(stored, client.MergeFromWithOptimisticLock{}))
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("write metadata of Bucket %s: %w", name, err)
	}
	return nil
}

func (a *attempt) isNeeded(ctx context.Context, from client.Reader, bucket *v1alpha1.Bucket) (bool, error) {
	others := &v1alpha1.BucketAccessList{}
	if err := from.List(ctx, others, client.InNamespace(a.Object.Namespace)); err != nil {
		return false, err
	}
	for i := range others.Items {
		other := &others.Items[i]
		if other.UID != a.Object.UID && !a.released.Has(other) && needs(other, bucket) {
			return true, nil
		}
	}
	return false, nil
}
