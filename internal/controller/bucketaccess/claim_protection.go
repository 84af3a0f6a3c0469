package bucketaccess

import (
	"context"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/condition"
)

// keepClaims is all that the controller does for an access that the sidecar owns.
// It annotates the claims again if the annotation was removed by hand, and reports
// a claim that has gone missing, which the sidecar cannot see.
func (a *attempt) keepClaims(ctx context.Context) error {
	claims, missing, err := a.getClaims(ctx)
	if err != nil {
		return err
	}
	for _, claim := range claims {
		same, err := a.grantedThrough(ctx, claim)
		if err != nil {
			return err
		}
		if !same {
			missing = append(missing, claim.Name)
			continue
		}
		if err := a.Protector.Protect(ctx, claim); err != nil {
			return err
		}
	}
	a.reportMissing(missing)
	return nil
}

// grantedThrough reports whether the claim is the one that the access was handed
// off with, and not a later one of the same name.
func (a *attempt) grantedThrough(ctx context.Context, claim *v1alpha2.BucketClaim) (bool, error) {
	accessed := a.Object.Status.AccessedBuckets
	i := slices.IndexFunc(accessed, func(b v1alpha2.AccessedBucket) bool { return b.BucketClaimName == claim.Name })
	if i < 0 { // the sidecar reports that the status is incomplete
		return true, nil
	}
	bucket, err := a.getBucket(ctx, accessed[i].BucketName)
	return bucket == nil || bucket.Spec.BucketClaimRef.UID == claim.UID, err
}

// reportMissing sets one condition of a status that otherwise belongs to the
// sidecar. The lock of the patch keeps the two from overwriting each other. The
// sidecar leaves the condition alone while it has this reason.
func (a *attempt) reportMissing(missing []string) {
	switch {
	case len(missing) == 0 && !condition.ClaimMissing(a.Object.Status.Conditions):
	case len(missing) == 0:
		a.conditions().Set(v1alpha2.ConditionResourcesValidated, metav1.ConditionTrue, v1alpha2.ReasonValidated, "all BucketClaims exist again")
	default:
		slices.Sort(missing)
		a.conditions().Set(v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonBucketClaimNotFound,
			"BucketClaim "+strings.Join(missing, ", ")+", through which access was granted, does not exist any more; "+
				"the credentials are valid until this BucketAccess is deleted")
	}
}
