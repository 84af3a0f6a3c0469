package bucketaccess

import (
	"context"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/condition"
	cosievents "github.com/cosi-emu/cosi-emu/internal/reconcile/events"
)

// guard is all that the controller does for an access that the sidecar has: it
// keeps its claims annotated, should the annotation have been removed by hand,
// and says so if a claim has gone missing, which the sidecar cannot see.
func (r *Reconciler) guard(ctx context.Context, v *visit) error {
	claims, missing, err := r.claims(ctx, v.access)
	if err != nil {
		return err
	}
	for _, claim := range claims {
		same, err := r.grantedThrough(ctx, v.access, claim)
		if err != nil {
			return err
		}
		if !same {
			missing = append(missing, claim.Name)
			continue
		}
		if err := r.References.Protect(ctx, claim); err != nil {
			return err
		}
	}
	return r.reportMissing(ctx, v, missing)
}

// grantedThrough reports whether the claim is the one that the access was handed
// off with, and not another of its name that somebody has made since.
func (r *Reconciler) grantedThrough(ctx context.Context, access *v1alpha2.BucketAccess, claim *v1alpha2.BucketClaim) (bool, error) {
	i := slices.IndexFunc(access.Status.AccessedBuckets, func(b v1alpha2.AccessedBucket) bool { return b.BucketClaimName == claim.Name })
	if i < 0 { // the sidecar reports that the status is incomplete
		return true, nil
	}
	bucket, err := r.bucket(ctx, access.Status.AccessedBuckets[i].BucketName)
	return bucket == nil || bucket.Spec.BucketClaimRef.UID == claim.UID, err
}

// reportMissing writes one condition into a status that is the sidecar's
// otherwise. The lock keeps the two from overwriting each other; the sidecar
// leaves the condition alone while it has this reason.
func (r *Reconciler) reportMissing(ctx context.Context, v *visit, missing []string) error {
	reported := condition.ClaimMissing(v.access.Status.Conditions)
	if len(missing) == 0 && !reported {
		return nil
	}
	before := v.access.DeepCopy()
	conditions := condition.Of(&v.access.Status.Conditions, v.access.Generation)
	if len(missing) == 0 {
		conditions.Set(v1alpha2.ConditionResourcesValidated, metav1.ConditionTrue, v1alpha2.ReasonValidated, "all BucketClaims are there again")
	} else {
		slices.Sort(missing)
		conditions.Set(v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonBucketClaimNotFound,
			"BucketClaim "+strings.Join(missing, ", ")+", through which access was granted, does not exist any more; "+
				"the credentials are valid until this BucketAccess is deleted")
	}
	return r.saveStatus(ctx, before, v.access, cosievents.Provision)
}
