package bucketclaim

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
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

// find returns the Bucket from the cache, or nil.
func (r *Reconciler) find(ctx context.Context, name string) (*v1alpha2.Bucket, error) {
	return get(ctx, r.Client, name)
}

// findConfirmed is for callers that act on the loss of the Bucket. Before it reports that the
// Bucket does not exist, or belongs to another claim, it asks the API server, because the cache may
// be outdated. If the two disagree, the claim is reconciled again: one of them is outdated, and the
// watch may have no further event of the Bucket.
func (a *attempt) findConfirmed(ctx context.Context, name string) (*v1alpha2.Bucket, error) {
	cached, err := get(ctx, a.Client, name)
	if err != nil || cached != nil && isBoundTo(cached, a.Object) {
		return cached, err
	}
	bucket, err := get(ctx, a.Live, name)
	if err == nil && !isSameVersion(cached, bucket) {
		a.Requeue()
	}
	return bucket, err
}

func isSameVersion(cached, live *v1alpha2.Bucket) bool {
	if cached == nil || live == nil {
		return cached == live
	}
	return cached.ResourceVersion == live.ResourceVersion
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
