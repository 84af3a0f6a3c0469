package bucketclaim

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/controller/binding"
)

func isBoundTo(bucket *v1alpha2.Bucket, claim *v1alpha2.BucketClaim) bool {
	return isFor(bucket, claim) && bucket.Spec.BucketClaimRef.UID == claim.UID
}

// isFree reports whether the Bucket is for the claim and not bound yet.
func isFree(bucket *v1alpha2.Bucket, claim *v1alpha2.BucketClaim) bool {
	return isFor(bucket, claim) && bucket.Spec.BucketClaimRef.UID == ""
}

func isFor(bucket *v1alpha2.Bucket, claim *v1alpha2.BucketClaim) bool {
	ref := bucket.Spec.BucketClaimRef
	return ref.Namespace == claim.Namespace && ref.Name == claim.Name
}

func owner(bucket *v1alpha2.Bucket) string {
	ref := bucket.Spec.BucketClaimRef
	if ref.UID == "" {
		return fmt.Sprintf("%s/%s", ref.Namespace, ref.Name)
	}
	return fmt.Sprintf("%s/%s with UID %s", ref.Namespace, ref.Name, ref.UID)
}

// findConfirmed is for callers that act on the loss of the Bucket.
func (a *attempt) findConfirmed(ctx context.Context, name string) (*v1alpha2.Bucket, error) {
	return binding.GetConfirmed(ctx, a.Client, a.Live, name,
		func(b *v1alpha2.Bucket) bool { return isBoundTo(b, a.Object) }, a.Requeue)
}

func get(ctx context.Context, from client.Reader, name string) (*v1alpha2.Bucket, error) {
	return binding.Get[v1alpha2.Bucket](ctx, from, name)
}
