package bucket

import (
	"context"
	"slices"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

// validate checks a Bucket before the driver is called.
func (a *attempt) validate(context.Context) error {
	for _, check := range []func(*v1alpha2.Bucket) error{a.checkProtocols, checkPolicy, checkID} {
		if err := check(a.Object); err != nil {
			return err
		}
	}
	return nil
}

func (r *reconciler) checkProtocols(bucket *v1alpha2.Bucket) error {
	served := r.driver.Protocols()
	for _, protocol := range bucket.Spec.Protocols {
		if !slices.Contains(served, protocol) {
			return reasons.Invalid(v1alpha2.ReasonProtocolNotSupported,
				"spec.protocols has %s, but driver %s serves only %v", protocol, r.driver.Name(), served)
		}
	}
	return nil
}

// checkPolicy rejects the deletion policy Delete for a bucket that COSI did not create, which the
// KEP disallows.
func checkPolicy(bucket *v1alpha2.Bucket) error {
	if isStatic(bucket) && bucket.Spec.DeletionPolicy == v1alpha2.DeletionPolicyDelete {
		return reasons.Invalid(v1alpha2.ReasonDeletionPolicyNotAllowed,
			"COSI did not create bucket %q and must not delete it: set spec.deletionPolicy to Retain", bucket.Spec.ExistingBucketID)
	}
	return nil
}

func checkID(bucket *v1alpha2.Bucket) error {
	id := bucket.Status.BucketID
	if isStatic(bucket) && id != "" && id != bucket.Spec.ExistingBucketID {
		return reasons.Invalid(v1alpha2.ReasonDegraded,
			"status.bucketID is %q, but spec.existingBucketID is %q: delete this Bucket and create it again", id, bucket.Spec.ExistingBucketID)
	}
	return nil
}
