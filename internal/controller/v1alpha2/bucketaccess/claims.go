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
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

// findClaims reads the BucketClaims. None of them may be deleting: an access that waits, for
// instance for its class, must not keep a claim that a user has deleted.
func (a *attempt) findClaims(ctx context.Context) (err error) {
	if a.claims, a.missing, err = a.getClaims(ctx); err != nil {
		return err
	}
	for _, claim := range a.claims {
		if err := checkNotDeleting(claim); err != nil {
			return err
		}
	}
	return nil
}

// awaitClaims ends the reconcile if a BucketClaim does not exist. All of them must exist before any
// of them is written.
func (a *attempt) awaitClaims(context.Context) error {
	if len(a.missing) == 0 {
		return nil
	}
	return reasons.Waiting(v1alpha2.ReasonBucketClaimNotFound,
		"waiting for BucketClaim %s, which does not exist", strings.Join(a.missing, ", "))
}

// protectClaims annotates the claims, which blocks their deletion. This comes before the hand-off:
// otherwise a claim could be deleted, and its bucket with it, while the sidecar gets credentials
// for it. The API server's answer shows whether the deletion was faster.
func (a *attempt) protectClaims(ctx context.Context) error {
	for _, claim := range a.claims {
		cached := claim.ResourceVersion
		if err := a.Protector.Protect(ctx, claim); err != nil {
			return err
		}
		if claim.ResourceVersion == cached {
			a.unconfirmed = append(a.unconfirmed, claim)
		}
		if err := checkNotDeleting(claim); err != nil {
			return err
		}
	}
	return nil
}

// confirmClaims reads earlier annotated claims from the API server. They may have been deleted and
// released meanwhile, unknown to the cache.
func (a *attempt) confirmClaims(ctx context.Context) error {
	for _, claim := range a.unconfirmed {
		if err := a.Protector.ProtectLive(ctx, claim); err != nil {
			return err
		}
		if err := checkNotDeleting(claim); err != nil {
			return err
		}
	}
	return nil
}

// clearRejection removes a recorded rejection before this access relies on its claims: claims are
// not kept for a rejected access.
func (a *attempt) clearRejection(ctx context.Context) error {
	if !ownership.IsRejected(a.Object) {
		return nil
	}
	a.Object.Status.Conditions = nil
	a.conditions()
	return a.SaveStatus(ctx)
}

func (a *attempt) getClaims(ctx context.Context) (found []*v1alpha2.BucketClaim, missing []string, err error) {
	for _, name := range index.ClaimNames(a.Object) {
		key, claim := client.ObjectKey{Namespace: a.Object.Namespace, Name: name}, &v1alpha2.BucketClaim{}
		err := a.Client.Get(ctx, key, claim)
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

func checkNotDeleting(claim *v1alpha2.BucketClaim) error {
	if claim.DeletionTimestamp.IsZero() {
		return nil
	}
	return reasons.Invalid(v1alpha2.ReasonBucketClaimDeleting, "BucketClaim %q is being deleted", claim.Name)
}
