package bucketclaim

import (
	"context"
	"fmt"
	"maps"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosireconcile "github.com/cosi-emu/cosi-emu/internal/reconcile"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

// bindNew returns the Bucket of a claim that is not bound yet: the one that an interrupted
// reconcile has created, or a new one.
func (r *Reconciler) bindNew(ctx context.Context, claim *v1alpha2.BucketClaim, name string) (*v1alpha2.Bucket, error) {
	bucket, err := r.find(ctx, name)
	if bucket == nil && err == nil {
		bucket, err = r.create(ctx, claim, name)
	}
	if err != nil {
		return nil, err
	}
	if !isBoundTo(bucket, claim) {
		return nil, reasons.Invalid(v1alpha2.ReasonBindingConflict,
			"Bucket %q, whose name is reserved for this claim, belongs to BucketClaim %s", name, owner(bucket))
	}
	return bucket, nil
}

func (r *Reconciler) create(ctx context.Context, claim *v1alpha2.BucketClaim, name string) (*v1alpha2.Bucket, error) {
	class, err := r.class(ctx, claim.Spec.BucketClassName)
	if err != nil {
		return nil, err
	}
	if err := r.confirmUnbound(ctx, claim); err != nil {
		return nil, err
	}
	if err := cosireconcile.ConfirmCurrent(ctx, r.Live, class); err != nil {
		return nil, err
	}
	bucket := newBucket(claim, class, name)
	err = r.Client.Create(ctx, bucket)
	switch {
	case apierrors.IsAlreadyExists(err):
		return r.existing(ctx, name)
	case apierrors.IsInvalid(err):
		return nil, reasons.Invalid(v1alpha2.ReasonInvalidSpec, "the API server rejects Bucket %q: %v", name, err)
	case err != nil:
		return nil, fmt.Errorf("create Bucket %s: %w", name, err)
	default:
		return bucket, nil
	}
}

// existing returns a Bucket that the cache does not have.
func (r *Reconciler) existing(ctx context.Context, name string) (*v1alpha2.Bucket, error) {
	bucket := &v1alpha2.Bucket{}
	if err := r.Live.Get(ctx, client.ObjectKey{Name: name}, bucket); err != nil {
		return nil, fmt.Errorf("get Bucket %s: %w", name, err)
	}
	return bucket, nil
}

func (r *Reconciler) class(ctx context.Context, name string) (*v1alpha2.BucketClass, error) {
	class := &v1alpha2.BucketClass{}
	err := r.Client.Get(ctx, client.ObjectKey{Name: name}, class)
	switch {
	case apierrors.IsNotFound(err):
		return nil, reasons.Waiting(v1alpha2.ReasonBucketClassNotFound, "waiting for BucketClass %q, which does not exist", name)
	case err != nil:
		return nil, fmt.Errorf("get BucketClass %s: %w", name, err)
	}
	if err := v1alpha2.CheckDriverName(class.Spec.DriverName); err != nil {
		return nil, reasons.Invalid(v1alpha2.ReasonInvalidSpec,
			"BucketClass %q has an invalid driver name: spec.driverName: %v; create the class again with a valid name", name, err)
	}
	return class, nil
}

// confirmUnbound asks the API server whether the claim still exists and still has no Bucket. With
// an outdated cache, the controller could create a Bucket for a claim that had one. If an
// administrator has removed that Bucket by force, its backend bucket would leak, and the loss would
// stay hidden.
func (r *Reconciler) confirmUnbound(ctx context.Context, claim *v1alpha2.BucketClaim) error {
	now := &v1alpha2.BucketClaim{}
	key := client.ObjectKeyFromObject(claim)
	if err := r.Live.Get(ctx, key, now); err != nil {
		return fmt.Errorf("get BucketClaim %s: %w", key, err)
	}
	if now.UID != claim.UID || !now.DeletionTimestamp.IsZero() || now.Status.BoundBucketName != "" {
		return apierrors.NewConflict(v1alpha2.Resource("bucketclaims"), claim.Name,
			fmt.Errorf("the cached BucketClaim %s is out of date", key))
	}
	return nil
}

// newBucket returns the Bucket for a claim. It has everything that its deletion needs after claim
// and class are deleted. It has no finalizer: the sidecar adds it before it calls the driver, so
// that a Bucket whose driver does not run can be deleted.
func newBucket(claim *v1alpha2.BucketClaim, class *v1alpha2.BucketClass, name string) *v1alpha2.Bucket {
	return &v1alpha2.Bucket{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: v1alpha2.BucketSpec{
			DriverName:     class.Spec.DriverName,
			DeletionPolicy: class.Spec.DeletionPolicy,
			Protocols:      slices.Clone(claim.Spec.Protocols),
			Parameters:     maps.Clone(class.Spec.Parameters),
			BucketClaimRef: v1alpha2.BucketClaimReference{
				Namespace: claim.Namespace,
				Name:      claim.Name,
				UID:       claim.UID,
			},
		},
	}
}
