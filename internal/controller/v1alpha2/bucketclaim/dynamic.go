package bucketclaim

import (
	"context"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/controller/binding"
	cosireconcile "github.com/cosi-emu/cosi-emu/internal/reconcile"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

// bindNew returns the Bucket of a claim that is not bound yet: the one that an interrupted
// reconcile has created, or a new one.
func (r *Reconciler) bindNew(ctx context.Context, claim *v1alpha2.BucketClaim, name string) (*v1alpha2.Bucket, error) {
	bucket, err := get(ctx, r.Client, name)
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
	if err := binding.ConfirmUnbound(ctx, r.Live, claim, boundTo); err != nil {
		return nil, err
	}
	if err := cosireconcile.ConfirmCurrent(ctx, r.Live, class); err != nil {
		return nil, err
	}
	return binding.Create(ctx, r.Client, r.Live, newBucket(claim, class, name))
}

func boundTo(claim *v1alpha2.BucketClaim) string { return claim.Status.BoundBucketName }

func (r *Reconciler) class(ctx context.Context, name string) (*v1alpha2.BucketClass, error) {
	class, err := binding.Class[v1alpha2.BucketClass](ctx, r.Client, name)
	if err != nil {
		return nil, err
	}
	if err := v1alpha2.CheckDriverName(class.Spec.DriverName); err != nil {
		return nil, reasons.Invalid(v1alpha2.ReasonInvalidSpec,
			"BucketClass %q has an invalid driver name: spec.driverName: %v; create the class again with a valid name", name, err)
	}
	return class, nil
}

// newBucket returns the Bucket for a claim. It has everything that its deletion needs after claim
// and class are deleted. It has no finalizer: the sidecar adds it before it calls the driver, so
// that a Bucket whose driver does not run can be deleted.
func newBucket(claim *v1alpha2.BucketClaim, class *v1alpha2.BucketClass, name string) *v1alpha2.Bucket {
	bucket := &v1alpha2.Bucket{
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
	v1alpha2.SetDriverLabel(&bucket.ObjectMeta, bucket.Spec.DriverName)
	return bucket
}
