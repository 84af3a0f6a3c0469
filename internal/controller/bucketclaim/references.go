package bucketclaim

import (
	"context"
	"strings"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/controller/claimprotection"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

// maxNamed is how many BucketAccesses a message lists by name.
const maxNamed = 3

// releaseReferences takes the annotation off that no access needs any more, in
// case the last access could not do it itself.
func (r *Reconciler) releaseReferences(ctx context.Context, v *visit) error {
	return r.References.Release(ctx, v.claim, "")
}

// awaitAccesses ends the deletion of a claim that is in use. The removal of the
// annotation wakes the claim again. The handed-off accesses are looked at as
// well, since the annotation is easily removed by hand.
func (r *Reconciler) awaitAccesses(ctx context.Context, v *visit) error {
	if !claimprotection.Protected(v.claim) {
		if inUse, err := r.References.HandedOff(ctx, v.claim); err != nil || !inUse {
			return err
		}
	}
	holders, err := r.References.Holders(ctx, v.claim)
	if err != nil {
		return err
	}
	return reasons.Blocked(v1alpha2.ReasonDeletionBlocked, "deletion waits for %s", describe(holders))
}

func describe(accesses []string) string {
	switch {
	case len(accesses) == 0:
		return "annotation " + v1alpha2.HasBucketAccessReferencesAnnotation + " to be removed"
	case len(accesses) > maxNamed:
		return "BucketAccess " + strings.Join(accesses[:maxNamed], ", ") + " and others"
	default:
		return "BucketAccess " + strings.Join(accesses, ", ")
	}
}
