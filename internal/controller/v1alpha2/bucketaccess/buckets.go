package bucketaccess

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

// findBuckets reads the Buckets of the claims and rejects an access that is incompatible with one.
// It leaves Buckets that are not ready to awaitBuckets.
func (a *attempt) findBuckets(ctx context.Context) error {
	a.buckets = make([]*v1alpha2.Bucket, len(a.claims))
	for i, claim := range a.claims {
		bucket, err := a.bucketOf(ctx, claim)
		if err == nil {
			err = checkBucket(a.Object.Spec.Protocol, a.class, bucket)
		}
		if err == nil {
			err = checkClaim(claim, bucket)
		}
		if found, ok := reasons.As(err); ok && !found.IsPermanent() {
			a.unready = err
			continue
		}
		if err != nil {
			return err
		}
		a.buckets[i] = bucket
	}
	return nil
}

// awaitBuckets ends the reconcile if a Bucket is not ready. The claims are already protected, so
// the Buckets stay while the access waits for them.
func (a *attempt) awaitBuckets(context.Context) error { return a.unready }

// bucketOf returns the Bucket that a claim is bound to. Claims and Buckets have separate watches,
// so the cache may have the claim first. The event of the Bucket then causes the next reconcile.
func (a *attempt) bucketOf(ctx context.Context, claim *v1alpha2.BucketClaim) (*v1alpha2.Bucket, error) {
	if claim.Status.BoundBucketName == "" {
		return nil, notReady(claim.Name)
	}
	bucket, err := a.getBucket(ctx, claim.Status.BoundBucketName)
	switch {
	case err != nil:
		return nil, err
	case bucket == nil, bucket.Spec.BucketClaimRef.UID != claim.UID:
		return nil, notReady(claim.Name)
	default:
		return bucket, nil
	}
}

func (r *Reconciler) getBucket(ctx context.Context, name string) (*v1alpha2.Bucket, error) {
	bucket := &v1alpha2.Bucket{}
	err := r.Client.Get(ctx, client.ObjectKey{Name: name}, bucket)
	switch {
	case apierrors.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("get Bucket %s: %w", name, err)
	default:
		return bucket, nil
	}
}

// checkBucket returns an error if the Bucket is incompatible with the class and the protocol of an
// access, or not ready. The protocol check requires the Bucket's ID and its protocols.
func checkBucket(protocol v1alpha2.Protocol, class *v1alpha2.BucketAccessClass, bucket *v1alpha2.Bucket) error {
	claim := bucket.Spec.BucketClaimRef.Name
	switch {
	case bucket.Spec.DriverName != class.Spec.DriverName:
		// The driver of the class would get the ID of another driver's bucket, which it may take
		// for one of its own.
		return reasons.Invalid(v1alpha2.ReasonDriverMismatch,
			"BucketAccessClass %q is of driver %q, but the Bucket of BucketClaim %q is of driver %q",
			class.Name, class.Spec.DriverName, claim, bucket.Spec.DriverName)
	case !bucket.DeletionTimestamp.IsZero():
		return reasons.Invalid(v1alpha2.ReasonBucketDeleting, "the Bucket of BucketClaim %q is being deleted", claim)
	case bucket.Status.BucketID == "" || len(bucket.Status.Protocols) == 0:
		return notReady(claim)
	case !slices.Contains(bucket.Status.Protocols, protocol):
		return reasons.Invalid(v1alpha2.ReasonProtocolNotSupported,
			"the bucket of BucketClaim %q supports %v, but not %s", claim, bucket.Status.Protocols, protocol)
	default:
		return nil
	}
}

// checkClaim returns an error if the claim is not satisfied or, by its conditions, invalid: an
// access is no more valid than the objects it refers to. It also checks the protocols, because the
// claim's conditions may be outdated. A later change of them causes the next reconcile.
func checkClaim(claim *v1alpha2.BucketClaim, bucket *v1alpha2.Bucket) error {
	supported := bucket.Status.Protocols
	lacks := func(wanted v1alpha2.Protocol) bool { return !slices.Contains(supported, wanted) }
	if slices.ContainsFunc(claim.Spec.Protocols, lacks) {
		return reasons.Invalid(v1alpha2.ReasonProtocolNotSupported,
			"BucketClaim %q requires %v, but its bucket supports %v: access needs a valid BucketClaim",
			claim.Name, claim.Spec.Protocols, supported)
	}
	if invalid := invalidity(claim); invalid != nil {
		return reasons.Invalid(invalid.Reason, "BucketClaim %q is not valid: %s", claim.Name, cmp.Or(invalid.Message, invalid.Reason))
	}
	return nil
}

// invalidity returns the condition of an invalid claim, or nil.
func invalidity(claim *v1alpha2.BucketClaim) *metav1.Condition {
	validated := meta.FindStatusCondition(claim.Status.Conditions, v1alpha2.ConditionResourcesValidated)
	if validated == nil || validated.Status != metav1.ConditionFalse {
		return nil
	}
	return validated
}

// notReady has one message for all stages, because each change of it would be a write, and the user
// can only wait.
func notReady(claim string) error {
	return reasons.Waiting(v1alpha2.ReasonWaitingForBucket, "waiting for the bucket of BucketClaim %q to be provisioned", claim)
}
