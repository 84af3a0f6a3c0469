package bucketclaim

import (
	"context"
	"fmt"
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2" // for the reasons and labels, which both versions share
	"github.com/cosi-emu/cosi-emu/internal/controller/binding"
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
	if err := binding.ConfirmUnbound(ctx, a.Live, a.Object, boundTo); err != nil {
		return nil, err
	}
	if err := cosireconcile.ConfirmCurrent(ctx, a.Live, class); err != nil {
		return nil, err
	}
	return binding.Create(ctx, a.Client, a.Live, newBucket(a.Object, class, name))
}

func boundTo(claim *v1alpha1.BucketClaim) string { return claim.Status.BucketName }

// checkPolicy finds a misspelt deletion policy, which would keep data that the administrator wants
// deleted.
func (a *attempt) checkPolicy(class *v1alpha1.BucketClass) error {
	if class.DeletionPolicy.IsKnown() {
		return nil
	}
	problem := fmt.Sprintf("BucketClass %q has the deletionPolicy %q, which is neither Retain nor Delete", class.Name, class.DeletionPolicy)
	return a.Tolerate(v1alpha2.ReasonInvalidSpec, problem, "the bucket will be retained")
}

func (r *Reconciler) class(ctx context.Context, name string) (*v1alpha1.BucketClass, error) {
	class, err := binding.Class[v1alpha1.BucketClass](ctx, r.Client, name)
	if err == nil && class.DriverName == "" {
		err = reasons.Invalid(v1alpha2.ReasonInvalidSpec, "BucketClass %q has no driverName: set it", name)
	}
	return class, err
}

// newBucket returns the Bucket for a claim. It has everything that its deletion needs after claim
// and class are deleted. It has no finalizer: the sidecar adds it before it calls the driver, so
// that a Bucket whose driver does not run can be deleted.
func newBucket(claim *v1alpha1.BucketClaim, class *v1alpha1.BucketClass, name string) *v1alpha1.Bucket {
	bucket := &v1alpha1.Bucket{
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
	v1alpha2.SetDriverLabel(&bucket.ObjectMeta, bucket.Spec.DriverName)
	return bucket
}
