package bucketaccess

import (
	"context"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

// checkBuckets checks the Buckets of the access by the cache.
func (a *attempt) checkBuckets(ctx context.Context) error { return a.checkBucketsOf(ctx, a.bucket) }

// confirmBuckets checks them by the API server: the cache may not show yet that one is being deleted.
func (a *attempt) confirmBuckets(ctx context.Context) error {
	return a.checkBucketsOf(ctx, a.liveBucket)
}

// checkBucketsOf checks the Buckets that read returns. A permanent error is reported before one that
// time may resolve.
func (a *attempt) checkBucketsOf(
	ctx context.Context, read func(context.Context, v1alpha2.AccessedBucket) (*v1alpha2.Bucket, error),
) error {
	var waiting error
	for _, accessed := range a.Object.Status.AccessedBuckets {
		bucket, err := read(ctx, accessed)
		if err != nil {
			return err
		}
		if err := a.checkBucket(bucket, accessed); err != nil {
			return err
		}
		if !isUsable(bucket) {
			waiting = reasons.Waiting(v1alpha2.ReasonWaitingForBucket, "Bucket %q is not provisioned yet", bucket.Name)
			continue
		}
		if !slices.Contains(bucket.Status.Protocols, a.Object.Spec.Protocol) {
			return reasons.Invalid(v1alpha2.ReasonProtocolNotSupported, "Bucket %q supports %v, but spec.protocol is %s",
				bucket.Name, bucket.Status.Protocols, a.Object.Spec.Protocol)
		}
	}
	return waiting
}

// bucket returns the Bucket of a claim. Only the API server can confirm that a Bucket is lost: the
// cache may not have seen it yet.
func (r *reconciler) bucket(ctx context.Context, accessed v1alpha2.AccessedBucket) (*v1alpha2.Bucket, error) {
	bucket := &v1alpha2.Bucket{}
	err := r.cached.Get(ctx, client.ObjectKey{Name: accessed.BucketName}, bucket)
	if apierrors.IsNotFound(err) {
		return r.liveBucket(ctx, accessed)
	}
	return bucket, err
}

func (r *reconciler) liveBucket(ctx context.Context, accessed v1alpha2.AccessedBucket) (*v1alpha2.Bucket, error) {
	bucket := &v1alpha2.Bucket{}
	err := r.live.Get(ctx, client.ObjectKey{Name: accessed.BucketName}, bucket)
	if apierrors.IsNotFound(err) {
		return nil, reasons.Invalid(v1alpha2.ReasonBucketLost, "Bucket %q of BucketClaim %q does not exist any more",
			accessed.BucketName, accessed.BucketClaimName)
	}
	return bucket, err
}

// checkBucket has the checks that a Bucket must pass, provisioned or not.
func (r *reconciler) checkBucket(bucket *v1alpha2.Bucket, accessed v1alpha2.AccessedBucket) error {
	id := bucket.Status.BucketID
	switch {
	case bucket.Spec.DriverName != r.driver.Name():
		return reasons.Invalid(v1alpha2.ReasonDriverMismatch, "Bucket %q is of driver %s, but the access is of driver %s",
			bucket.Name, bucket.Spec.DriverName, r.driver.Name())
	case v1alpha2.IsBucketClaimBeingDeleted(bucket):
		return reasons.Invalid(v1alpha2.ReasonBucketClaimDeleting, "BucketClaim %q is being deleted", accessed.BucketClaimName)
	case !bucket.DeletionTimestamp.IsZero():
		return reasons.Invalid(v1alpha2.ReasonBucketDeleting, "Bucket %q is being deleted", bucket.Name)
	case id != "" && id != accessed.BucketID:
		return reasons.Invalid(v1alpha2.ReasonDegraded,
			"Bucket %q has another bucket ID than status.accessedBuckets: it is another bucket", bucket.Name)
	}
	return nil
}

func isUsable(bucket *v1alpha2.Bucket) bool {
	return bucket.Status.BucketID != "" && meta.IsStatusConditionTrue(bucket.Status.Conditions, v1alpha2.ConditionProvisioned)
}
