package bucket

import (
	"context"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// release stops the walk of a Bucket whose BucketClaim is being deleted: it is
// not ready any more, and nothing new is provisioned for it. With the policy
// Retain that is all there is to do; with Delete, the controller deletes the
// Bucket next.
type release struct{}

func (*release) Walk(_ context.Context, bucket *subject) (bool, error) {
	return !v1alpha2.IsBucketClaimBeingDeleted(bucket.Object), nil
}
