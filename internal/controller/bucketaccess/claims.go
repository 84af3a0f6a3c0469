package bucketaccess

import (
	"context"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/controller/index"
	"github.com/cosi-emu/cosi-emu/internal/controller/ownership"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/condition"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

// findClaims looks up the BucketClaims. All of them must exist before any of
// them is touched, and none may be on its way out.
func (r *Reconciler) findClaims(ctx context.Context, v *visit) error {
	claims, missing, err := r.claims(ctx, v.access)
	if err != nil {
		return err
	}
	for _, claim := range claims {
		if err := checkStaying(claim); err != nil {
			return err
		}
	}
	if len(missing) > 0 {
		return reasons.Waiting(v1alpha2.ReasonBucketClaimNotFound,
			"waiting for BucketClaim %s, which does not exist", strings.Join(missing, ", "))
	}
	v.claims = claims
	return nil
}

// holdClaims annotates the claims, which stops their deletion. This comes before
// the hand-off: otherwise a claim could go, and its bucket with it, while the
// sidecar has credentials made for it. The API server's answer says whether the
// deletion was faster.
func (r *Reconciler) holdClaims(ctx context.Context, v *visit) error {
	for _, claim := range v.claims {
		cached := claim.ResourceVersion
		if err := r.References.Protect(ctx, claim); err != nil {
			return err
		}
		if claim.ResourceVersion == cached {
			v.unconfirmed = append(v.unconfirmed, claim)
		}
		if err := checkStaying(claim); err != nil {
			return err
		}
	}
	return nil
}

// confirmClaims asks the API server for the claims that were annotated before.
// They may have been deleted since, and let go, in a way that the cache does not
// know yet.
func (r *Reconciler) confirmClaims(ctx context.Context, v *visit) error {
	for _, claim := range v.unconfirmed {
		if err := r.References.Hold(ctx, claim); err != nil {
			return err
		}
		if err := checkStaying(claim); err != nil {
			return err
		}
	}
	return nil
}

// revive clears a recorded refusal before the claims are relied upon: while it
// stands, nobody counts this access as one that needs them.
func (r *Reconciler) revive(ctx context.Context, v *visit) error {
	if !ownership.Refused(v.access) {
		return nil
	}
	before := v.access.DeepCopy()
	v.access.Status.Conditions = nil
	condition.Of(&v.access.Status.Conditions, v.access.Generation)
	return r.writeStatus(ctx, before, v.access)
}

// claims are the claims of an access that exist, and the names of the others.
func (r *Reconciler) claims(ctx context.Context, access *v1alpha2.BucketAccess) ([]*v1alpha2.BucketClaim, []string, error) {
	var found []*v1alpha2.BucketClaim
	var missing []string
	for _, name := range index.ClaimNames(access) {
		key, claim := client.ObjectKey{Namespace: access.Namespace, Name: name}, &v1alpha2.BucketClaim{}
		err := r.Client.Get(ctx, key, claim)
		switch {
		case apierrors.IsNotFound(err):
			missing = append(missing, name)
		case err != nil:
			return nil, nil, fmt.Errorf("get BucketClaim %s: %w", key, err)
		default:
			found = append(found, claim)
		}
	}
	return found, missing, nil
}

func checkStaying(claim *v1alpha2.BucketClaim) error {
	if claim.DeletionTimestamp.IsZero() {
		return nil
	}
	return reasons.Invalid(v1alpha2.ReasonBucketClaimDeleting, "BucketClaim %q is being deleted", claim.Name)
}
