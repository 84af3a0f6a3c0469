package bucketaccess

import (
	"context"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

// checkHandOff checks the fields of the hand-off, and that spec and status agree. The controller
// writes all of them at once: if one is missing, the status has been edited.
func (a *attempt) checkHandOff(context.Context) error {
	for _, check := range []func(*v1alpha2.BucketAccess) error{
		checkComplete, checkClaims, checkBucketIDs, checkServiceAccount, checkSecretNames,
	} {
		if err := check(a.Object); err != nil {
			return err
		}
	}
	return nil
}

func checkComplete(access *v1alpha2.BucketAccess) error {
	if len(access.Status.AccessedBuckets) == 0 || access.Status.AuthenticationType == "" {
		return reasons.Invalid(v1alpha2.ReasonDegraded,
			"status.driverName is set, but status.accessedBuckets or status.authenticationType is not: delete this BucketAccess and create it again")
	}
	return nil
}

// checkClaims requires one accessed Bucket for each claim of the spec.
func checkClaims(access *v1alpha2.BucketAccess) error {
	open := make(map[string]bool, len(access.Spec.BucketClaims))
	for i := range access.Spec.BucketClaims {
		open[access.Spec.BucketClaims[i].BucketClaimName] = true
	}
	for _, accessed := range access.Status.AccessedBuckets {
		if !open[accessed.BucketClaimName] {
			return reasons.Invalid(v1alpha2.ReasonDegraded,
				"status.accessedBuckets has Bucket %q for BucketClaim %q, which spec.bucketClaims does not list, or lists only once",
				accessed.BucketName, accessed.BucketClaimName)
		}
		delete(open, accessed.BucketClaimName)
	}
	if len(open) > 0 {
		return reasons.Invalid(v1alpha2.ReasonDegraded,
			"status.accessedBuckets has no Bucket for %d of the spec.bucketClaims", len(open))
	}
	return nil
}

// checkBucketIDs rejects two claims with one bucket: a driver would be asked for two different
// permissions on it.
func checkBucketIDs(access *v1alpha2.BucketAccess) error {
	claims := make(map[string]string, len(access.Status.AccessedBuckets))
	for _, accessed := range access.Status.AccessedBuckets {
		if other, taken := claims[accessed.BucketID]; taken {
			return reasons.Invalid(v1alpha2.ReasonInvalidSpec,
				"BucketClaims %q and %q refer to the same bucket in the backend: use one of them", other, accessed.BucketClaimName)
		}
		claims[accessed.BucketID] = accessed.BucketClaimName
	}
	return nil
}

func checkServiceAccount(access *v1alpha2.BucketAccess) error {
	if access.Status.AuthenticationType == v1alpha2.AuthenticationTypeServiceAccount && access.Spec.ServiceAccountName == "" {
		return reasons.Invalid(v1alpha2.ReasonServiceAccountRequired,
			"the class authenticates by ServiceAccount: spec.serviceAccountName is required")
	}
	return nil
}

func checkSecretNames(access *v1alpha2.BucketAccess) error {
	claims := make(map[string]string, len(access.Spec.BucketClaims))
	for i := range access.Spec.BucketClaims {
		claim := &access.Spec.BucketClaims[i]
		if other, taken := claims[claim.AccessSecretName]; taken {
			return reasons.Invalid(v1alpha2.ReasonSecretConflict,
				"BucketClaims %q and %q both name Secret %q: each needs a Secret of its own", other, claim.BucketClaimName, claim.AccessSecretName)
		}
		claims[claim.AccessSecretName] = claim.BucketClaimName
	}
	return nil
}
