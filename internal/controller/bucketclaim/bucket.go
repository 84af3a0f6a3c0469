package bucketclaim

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// bucketName returns the name of the Bucket that a claim has or will have. It follows
// from immutable fields, and not from the status, which may have been edited.
func bucketName(claim *v1alpha2.BucketClaim) string {
	if existing := claim.Spec.ExistingBucketName; existing != "" {
		return existing
	}
	return v1alpha2.BucketNameForClaim(claim.UID)
}

// isBoundTo reports whether the Bucket belongs to the claim.
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

// owner returns the claim that a Bucket refers to, for messages.
func owner(bucket *v1alpha2.Bucket) string {
	ref := bucket.Spec.BucketClaimRef
	if ref.UID == "" {
		return fmt.Sprintf("%s/%s", ref.Namespace, ref.Name)
	}
	return fmt.Sprintf("%s/%s with UID %s", ref.Namespace, ref.Name, ref.UID)
}

// find returns the Bucket from the cache, or nil.
func (r *Reconciler) find(ctx context.Context, name string) (*v1alpha2.Bucket, error) {
	return get(ctx, r.Client, name)
}

// findConfirmed is for callers that act on the absence of the Bucket. Before it
// returns nil, it asks the API server, since the cache may be behind. If the two
// disagree, the claim is reconciled again: one of them is out of date, and the
// watch may have no further event of the Bucket.
func (a *attempt) findConfirmed(ctx context.Context, name string) (*v1alpha2.Bucket, error) {
	bucket, err := get(ctx, a.Client, name)
	if bucket != nil || err != nil {
		return bucket, err
	}
	if bucket, err = get(ctx, a.Live, name); bucket != nil {
		a.Requeue()
	}
	return bucket, err
}

func get(ctx context.Context, from client.Reader, name string) (*v1alpha2.Bucket, error) {
	bucket := &v1alpha2.Bucket{}
	err := from.Get(ctx, client.ObjectKey{Name: name}, bucket)
	switch {
	case apierrors.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("get Bucket %s: %w", name, err)
	default:
		return bucket, nil
	}
}
