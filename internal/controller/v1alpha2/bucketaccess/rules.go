package bucketaccess

import (
	"context"
	"slices"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

// checkRules checks the access against the rules of its class.
func (a *attempt) checkRules(context.Context) error {
	return checkSpec(a.Object.Spec, a.class)
}

// checkSpec returns an error if an access with that spec can never be granted under that class.
func checkSpec(spec v1alpha2.BucketAccessSpec, class *v1alpha2.BucketAccessClass) error {
	if len(spec.BucketClaims) > 1 && class.Spec.MultiBucketAccess != v1alpha2.MultiBucketAccessMultipleBuckets {
		return reasons.Invalid(v1alpha2.ReasonMultiBucketDisallowed,
			"spec.bucketClaims has %d entries, but BucketAccessClass %q allows only one", len(spec.BucketClaims), class.Name)
	}
	if class.Spec.AuthenticationType == v1alpha2.AuthenticationTypeServiceAccount && spec.ServiceAccountName == "" {
		return reasons.Invalid(v1alpha2.ReasonServiceAccountRequired,
			"BucketAccessClass %q authenticates by ServiceAccount: spec.serviceAccountName must be set", class.Name)
	}
	for i := range spec.BucketClaims {
		if err := checkModes(&spec.BucketClaims[i], class); err != nil {
			return err
		}
	}
	return checkSecrets(spec)
}

func checkModes(wanted *v1alpha2.BucketClaimAccess, class *v1alpha2.BucketAccessClass) error {
	disallowed := class.Spec.DisallowedBucketAccessModes
	if disallowed == nil {
		return nil
	}
	for _, category := range []struct {
		name      string
		mode      v1alpha2.BucketAccessMode
		forbidden []v1alpha2.BucketAccessMode
	}{
		{"objectData", wanted.AccessModes.ObjectData, disallowed.ObjectData},
		{"objectMetadata", wanted.AccessModes.ObjectMetadata, disallowed.ObjectMetadata},
		{"bucketMetadata", wanted.AccessModes.BucketMetadata, disallowed.BucketMetadata},
	} {
		if category.mode != "" && slices.Contains(category.forbidden, category.mode) {
			return reasons.Invalid(v1alpha2.ReasonAccessModeDisallowed,
				"access mode %s of %s, requested for BucketClaim %q, is disallowed by BucketAccessClass %q",
				category.mode, category.name, wanted.BucketClaimName, class.Name)
		}
	}
	return nil
}

func checkSecrets(spec v1alpha2.BucketAccessSpec) error {
	claimOf := map[string]string{}
	for i := range spec.BucketClaims {
		claim, secret := spec.BucketClaims[i].BucketClaimName, spec.BucketClaims[i].AccessSecretName
		if other, twice := claimOf[secret]; twice {
			return reasons.Invalid(v1alpha2.ReasonSecretConflict,
				"Secret %q is named for BucketClaim %q and for BucketClaim %q: each needs a Secret of its own", secret, other, claim)
		}
		claimOf[secret] = claim
	}
	return nil
}
