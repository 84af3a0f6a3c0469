package bucket

import (
	"context"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosireconcile "github.com/cosi-emu/cosi-emu/internal/reconcile"
)

// checkClaim ends the reconcile of a Bucket whose BucketClaim is being deleted: it is not ready any
// more, and nothing new is provisioned for it. With the policy Retain, it needs nothing else. With
// Delete, the controller deletes the Bucket next.
func (a *attempt) checkClaim(context.Context) error {
	if v1alpha2.IsBucketClaimBeingDeleted(a.Object) {
		return cosireconcile.ErrDone
	}
	return nil
}
