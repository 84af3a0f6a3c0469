package bucketaccess

import (
	"context"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/condition"
)

// keepClaims maintains the claims of an access that the sidecar owns. It restores an annotation
// that was removed by hand, and reports a missing claim, which the sidecar cannot see.
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
	return a.reportMissing(ctx, missing)
}

// grantedThrough reports whether the access was handed off with this claim, and not with an earlier
// one of the same name.
func (a *attempt) grantedThrough(ctx context.Context, claim *v1alpha2.BucketClaim) (bool, error) {
	accessed := a.Object.Status.AccessedBuckets
	i := slices.IndexFunc(accessed, func(b v1alpha2.AccessedBucket) bool { return b.BucketClaimName == claim.Name })
	if i < 0 { // the sidecar reports the incomplete status
		return true, nil
	}
	bucket, err := a.getBucket(ctx, accessed[i].BucketName)
	if bucket == nil || bucket.Spec.BucketClaimRef.UID == "" { // it is gone, or a person has made it again
		return true, err
	}
	return bucket.Spec.BucketClaimRef.UID == claim.UID, nil
}

// maxConflicts is how often a write of the controller can meet a write of the sidecar before it is
// left to the back-off.
const maxConflicts = 5

// reportMissing sets one condition of a status that otherwise belongs to the sidecar. The lock of
// the patch keeps the two from overwriting each other. After a conflict, the write is repeated on
// the latest version: the controller ignores the sidecar's writes, and no event would cause another
// reconcile. The sidecar does not change the condition while it has this reason.
func (a *attempt) reportMissing(ctx context.Context, missing []string) error {
	for range maxConflicts {
		a.setMissing(missing)
		err := a.SaveStatus(ctx)
		if !apierrors.IsConflict(err) {
			return err
		}
		if err := a.Reload(ctx); err != nil {
			return err
		}
	}
	a.Requeue()
	return nil
}

func (a *attempt) setMissing(missing []string) {
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
