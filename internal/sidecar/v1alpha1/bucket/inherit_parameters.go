package bucket

import (
	"context"
	"fmt"
	"maps"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	cosireconcile "github.com/cosi-emu/cosi-emu/internal/reconcile"
)

// inheritParameters gives an existing bucket without parameters its class's, as COSI v0.2 does:
// drivers get them when the bucket is deleted, and some read the Bucket. The event of the write
// causes the next reconcile. A Bucket whose class does not exist has no parameters.
func (a *attempt) inheritParameters(ctx context.Context) error {
	spec := &a.Object.Spec
	if spec.ExistingBucketID == "" || spec.Parameters != nil || a.Object.Status.BucketID != "" || spec.BucketClassName == "" {
		return nil
	}
	class := &v1alpha1.BucketClass{}
	err := client.IgnoreNotFound(a.live.Get(ctx, client.ObjectKey{Name: spec.BucketClassName}, class))
	if err != nil {
		return fmt.Errorf("get BucketClass %s: %w", spec.BucketClassName, err)
	}
	if class.Parameters == nil {
		return nil
	}
	changed := a.Object.DeepCopy()
	changed.Spec.Parameters = maps.Clone(class.Parameters)
	lock := client.MergeFromWithOptions(a.Object.DeepCopy(), client.MergeFromWithOptimisticLock{})
	if err := a.cached.Patch(ctx, changed, lock); err != nil {
		return fmt.Errorf("give Bucket %s the parameters of its class: %w", a.Object.Name, err)
	}
	return cosireconcile.ErrDone
}
