package bucketclaim

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// bucketName is the name of the Bucket that a claim has or will have. It follows
// from what cannot change, and not from the status, which anybody might have
// edited.
func bucketName(claim *v1alpha2.BucketClaim) string {
	if existing := claim.Spec.ExistingBucketName; existing != "" {
		return existing
	}
	return v1alpha2.BucketNameForClaim(claim.UID)
}

// boundTo reports whether the Bucket belongs to the claim.
func boundTo(bucket *v1alpha2.Bucket, claim *v1alpha2.BucketClaim) bool {
	return refersTo(bucket, claim) && bucket.Spec.BucketClaimRef.UID == claim.UID
}

// unbound reports whether the Bucket is meant for the claim and still free.
func unbound(bucket *v1alpha2.Bucket, claim *v1alpha2.BucketClaim) bool {
	return refersTo(bucket, claim) && bucket.Spec.BucketClaimRef.UID == ""
}

func refersTo(bucket *v1alpha2.Bucket, claim *v1alpha2.BucketClaim) bool {
	ref := bucket.Spec.BucketClaimRef
	return ref.Namespace == claim.Namespace && ref.Name == claim.Name
}

// owner names the claim that a Bucket refers to, for messages.
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

// findSurely is for callers that would act on the absence of the Bucket: before
// it returns nil, it asks the API server, since a cache may be behind. If so, or if
// the answer is out of date, the claim is to be looked at again: the watch may have
// told of the Bucket for the last time.
func (r *Reconciler) findSurely(ctx context.Context, v *visit, name string) (*v1alpha2.Bucket, error) {
	bucket, err := get(ctx, r.Client, name)
	if bucket != nil || err != nil {
		return bucket, err
	}
	bucket, err = get(ctx, r.Live, name)
	v.again = bucket != nil
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
