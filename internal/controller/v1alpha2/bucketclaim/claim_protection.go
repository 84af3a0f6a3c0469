package bucketclaim

import (
	"context"
	"strings"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/controller/v1alpha2/claimprotection"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

// maxNamed is the maximum number of BucketAccesses that a message names.
const maxNamed = 3

// unprotect removes the annotation if no BucketAccess needs the claim any more, in case the last
// access could not do it.
func (a *attempt) unprotect(ctx context.Context) error {
	if !claimprotection.IsProtected(a.Object) {
		return nil
	}
	if needed, err := a.Protector.IsNeeded(ctx, a.Object); err != nil || needed {
		return err
	}
	return a.PatchMetadata(ctx, claimprotection.RemoveAnnotation)
}

// awaitAccesses blocks the deletion of a claim that is in use. The removal of the annotation causes
// the next reconcile. Handed-off accesses count as well, because the annotation is easily removed
// by hand.
func (a *attempt) awaitAccesses(ctx context.Context) error {
	if !claimprotection.IsProtected(a.Object) {
		if inUse, err := a.Protector.HasHandedOff(ctx, a.Object); err != nil || !inUse {
			return err
		}
	}
	accesses, err := a.Protector.AccessesOf(ctx, a.Object)
	if err != nil {
		return err
	}
	return reasons.Blocked(v1alpha2.ReasonDeletionBlocked, "deletion waits for %s", describe(accesses))
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
