package bucket

import (
	"context"
	"slices"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/driver"
)

// validation finds out what is wrong with a Bucket before the driver hears of it.
type validation struct{ driver *driver.Driver }

func (v *validation) Walk(_ context.Context, bucket *subject) (bool, error) {
	for _, check := range []func(*v1alpha2.Bucket) error{v.checkProtocols, checkPolicy, checkIdentity} {
		if err := check(bucket.Object); err != nil {
			return false, err
		}
	}
	return true, nil
}

func (v *validation) checkProtocols(bucket *v1alpha2.Bucket) error {
	served := v.driver.Protocols()
	for _, protocol := range bucket.Spec.Protocols {
		if !slices.Contains(served, protocol) {
			return reasons.Invalid(v1alpha2.ReasonProtocolNotSupported,
				"spec.protocols has %s, but driver %s serves only %v", protocol, v.driver.Name(), served)
		}
	}
	return nil
}

// checkPolicy refuses what the KEP says should be disallowed: COSI did not
// create the bucket, so it must not delete it.
func checkPolicy(bucket *v1alpha2.Bucket) error {
	if isStatic(bucket) && bucket.Spec.DeletionPolicy == v1alpha2.DeletionPolicyDelete {
		return reasons.Invalid(v1alpha2.ReasonDeletionPolicyNotAllowed,
			"bucket %q existed before COSI and must not be deleted by it: set spec.deletionPolicy to Retain", bucket.Spec.ExistingBucketID)
	}
	return nil
}

func checkIdentity(bucket *v1alpha2.Bucket) error {
	id := bucket.Status.BucketID
	if isStatic(bucket) && id != "" && id != bucket.Spec.ExistingBucketID {
		return reasons.Invalid(v1alpha2.ReasonDegraded,
			"status.bucketID is %q, but spec.existingBucketID is %q: delete this Bucket and make it anew", id, bucket.Spec.ExistingBucketID)
	}
	return nil
}
