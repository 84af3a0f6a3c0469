// Package binding has the requests by which the controllers of all versions bind a claim to a Bucket,
// and delete that Bucket.
package binding

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2" // for the reasons, which all versions share
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

// object is a pointer to an object of type T.
type object[T any] interface {
	*T
	client.Object
}

// Get returns a Bucket, or nil if it does not exist.
func Get[T any, B object[T]](ctx context.Context, from client.Reader, name string) (B, error) {
	bucket := B(new(T))
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

// GetConfirmed is for callers that act on the loss of the Bucket. Before it reports that the Bucket
// does not exist, or is not bound, it asks the API server, because the cache may be outdated. If the
// two disagree, it calls requeue: one of them is outdated, and the watch may have no further event of
// the Bucket.
func GetConfirmed[T any, B object[T]](
	ctx context.Context, cache, live client.Reader, name string, isBound func(B) bool, requeue func(),
) (B, error) {
	cached, err := Get[T, B](ctx, cache, name)
	if err != nil || cached != nil && isBound(cached) {
		return cached, err
	}
	bucket, err := Get[T, B](ctx, live, name)
	if err == nil && !isSameVersion(cached, bucket) {
		requeue()
	}
	return bucket, err
}

func isSameVersion[T any, B object[T]](cached, live B) bool {
	if cached == nil || live == nil {
		return cached == live
	}
	return cached.GetResourceVersion() == live.GetResourceVersion()
}

// Create creates a Bucket. If another writer was faster, perhaps this controller before a crash, it
// returns the existing Bucket, which the cache may not have.
func Create[T any, B object[T]](ctx context.Context, c client.Client, live client.Reader, bucket B) (B, error) {
	name := bucket.GetName()
	err := c.Create(ctx, bucket)
	switch {
	case apierrors.IsAlreadyExists(err):
		existing := B(new(T))
		if err := live.Get(ctx, client.ObjectKey{Name: name}, existing); err != nil {
			return nil, fmt.Errorf("get Bucket %s: %w", name, err)
		}
		return existing, nil
	case apierrors.IsInvalid(err):
		return nil, reasons.Invalid(v1alpha2.ReasonInvalidSpec, "the API server rejects Bucket %q: %v", name, err)
	case err != nil:
		return nil, fmt.Errorf("create Bucket %s: %w", name, err)
	default:
		return bucket, nil
	}
}

// Delete deletes exactly the Bucket that was read, unless it is being deleted. If its policy has just
// been changed, or if it is another one of the same name, the preconditions fail and the claim is
// reconciled again.
func Delete(ctx context.Context, c client.Client, bucket client.Object) error {
	if bucket.GetDeletionTimestamp() != nil {
		return nil
	}
	uid, version := bucket.GetUID(), bucket.GetResourceVersion()
	err := c.Delete(ctx, bucket, client.Preconditions{UID: &uid, ResourceVersion: &version})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("delete Bucket %s: %w", bucket.GetName(), err)
	}
	return nil
}

// Class returns the class of a claim. The claim waits for a class only if the API server answers that
// it does not exist: any other error is another problem.
func Class[T any, C object[T]](ctx context.Context, from client.Reader, name string) (C, error) {
	class := C(new(T))
	err := from.Get(ctx, client.ObjectKey{Name: name}, class)
	switch {
	case apierrors.IsNotFound(err):
		return nil, reasons.Waiting(v1alpha2.ReasonBucketClassNotFound, "waiting for BucketClass %q, which does not exist", name)
	case err != nil:
		return nil, fmt.Errorf("get BucketClass %s: %w", name, err)
	default:
		return class, nil
	}
}

// ConfirmUnbound asks the API server whether the claim still exists and still has no Bucket. With an
// outdated cache, the controller could create a Bucket for a claim that had one. If an administrator
// has removed that Bucket by force, its backend bucket would leak, and the loss would stay hidden.
func ConfirmUnbound[T any, C object[T]](ctx context.Context, live client.Reader, claim C, bucketOf func(C) string) error {
	now := C(new(T))
	key := client.ObjectKeyFromObject(claim)
	if err := live.Get(ctx, key, now); err != nil {
		return fmt.Errorf("get BucketClaim %s: %w", key, err)
	}
	if now.GetUID() != claim.GetUID() || now.GetDeletionTimestamp() != nil || bucketOf(now) != "" {
		return apierrors.NewConflict(v1alpha2.Resource("bucketclaims"), claim.GetName(),
			fmt.Errorf("the cached BucketClaim %s is out of date", key))
	}
	return nil
}
