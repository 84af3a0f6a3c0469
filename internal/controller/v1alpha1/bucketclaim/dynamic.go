package bucketclaim

import (
	"context"
	"fmt"
	"maps"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2" // for the reasons, which both versions share
	cosireconcile "github.com/cosi-emu/cosi-emu/internal/reconcile"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

// bindNew returns the Bucket of a claim that is not bound yet: the one that an interrupted
// reconcile has created, or a new one.
func (a *attempt) bindNew(ctx context.Context, name string) (*v1alpha1.Bucket, error) {
	bucket, err := get(ctx, a.Client, name)
	if bucket == nil && err == nil {
		bucket, err = a.create(ctx, name)
	}
	if err != nil {
		return nil, err
	}
	if !isBoundTo(bucket, a.Object) {
		return nil, reasons.Invalid(v1alpha2.ReasonBindingConflict,
			"Bucket %q, whose name is reserved for this claim, belongs to %s", name, owner(bucket))
	}
	return bucket, nil
}

func (a *attempt) create(ctx context.Context, name string) (*v1alpha1.Bucket, error) {
	class, err := a.class(ctx, a.Object.Spec.BucketClassName)
	if err != nil {
		return nil, err
	}
	if err := a.checkPolicy(class); err != nil {
		return nil, err
	}
	if err := a.confirmUnbound(ctx, a.Object); err != nil {
		return nil, err
	}
	if err := cosireconcile.ConfirmCurrent(ctx, a.Live, class); err != nil {
		return nil, err
	}
	bucket := newBucket(a.Object, class, name)
	err = a.Client.Create(ctx, bucket)
	switch {
	case apierrors.IsAlreadyExists(err):
		// Another writer was faster, perhaps this controller before a crash, and the
		// cache has not seen it.
		return a.existing(ctx, name)
	case apierrors.IsInvalid(err):
		return nil, reasons.Invalid(v1alpha2.ReasonInvalidSpec, "the API server rejects Bucket %q: %v", name, err)
	case err != nil:
		return nil, fmt.Errorf("create Bucket %s: %w", name, err)
	default:
		return bucket, nil
	}
}

// checkPolicy finds a misspelt deletion policy, which would keep data that the administrator wants
// deleted.
func (a *attempt) checkPolicy(class *v1alpha1.BucketClass) error {
	if class.DeletionPolicy.IsKnown() {
		return nil
	}
	problem := fmt.Sprintf("BucketClass %q has the deletionPolicy %q, which is neither Retain nor Delete", class.Name, class.DeletionPolicy)
	return a.Tolerate(v1alpha2.ReasonInvalidSpec, problem, "the bucket will be retained")
}

func (r *Reconciler) existing(ctx context.Context, name string) (*v1alpha1.Bucket, error) {
	bucket := &v1alpha1.Bucket{}
	if err := r.Live.Get(ctx, client.ObjectKey{Name: name}, bucket); err != nil {
		return nil, fmt.Errorf("get Bucket %s: %w", name, err)
	}
	return bucket, nil
}

// class returns the class of a claim. The claim waits for a class only if the API server answers
// that it does not exist: any other error is another problem.
func (r *Reconciler) class(ctx context.Context, name string) (*v1alpha1.BucketClass, error) {
	class := &v1alpha1.BucketClass{}
	err := r.Client.Get(ctx, client.ObjectKey{Name: name}, class)
	switch {
	case apierrors.IsNotFound(err):
		return nil, reasons.Waiting(v1alpha2.ReasonBucketClassNotFound, "waiting for BucketClass %q, which does not exist", name)
	case err != nil:
		return nil, fmt.Errorf("get BucketClass %s: %w", name, err)
	case class.DriverName == "":
		return nil, reasons.Invalid(v1alpha2.ReasonInvalidSpec, "BucketClass %q has no driverName: set it", name)
	default:
		return class, nil
	}
}

// confirmUnbound asks the API server whether the claim still exists and still has no Bucket. With
// an outdated cache, the controller could create a Bucket for a claim that had one. If an
// administrator has removed that Bucket by force, its backend bucket would leak, and the loss would
// stay hidden.
func (r *Reconciler) confirmUnbound(ctx context.Context, claim *v1alpha1.BucketClaim) error {
	now := &v1alpha1.BucketClaim{}
	key := client.ObjectKeyFromObject(claim)
	if err := r.Live.Get(ctx, key, now); err != nil {
		return fmt.Errorf("get BucketClaim %s: %w", key, err)
	}
	if now.UID != claim.UID || !now.DeletionTimestamp.IsZero() || now.Status.BucketName != "" {
		return apierrors.NewConflict(v1alpha1.Resource("bucketclaims"), claim.Name,
			fmt.Errorf("the cached BucketClaim %s is out of date", key))
	}
	return nil
}

// newBucket returns the Bucket for a claim. It has everything that its deletion needs after claim
// and class are deleted. It has no finalizer: the sidecar adds it before it calls the driver, so
// that a Bucket whose driver does not run can be deleted.
func newBucket(claim *v1alpha1.BucketClaim, class *v1alpha1.BucketClass, name string) *v1alpha1.Bucket {
	return &v1alpha1.Bucket{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: v1alpha1.BucketSpec{
			DriverName:      class.DriverName,
			BucketClassName: class.Name,
			BucketClaim:     reference(claim),
			Protocols:       append([]v1alpha1.Protocol{}, claim.Spec.Protocols...), // required, so never nil
			Parameters:      maps.Clone(class.Parameters),
			DeletionPolicy:  class.DeletionPolicy,
		},
	}
}
