package bucketclaim

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2" // for the reasons, which both versions share
	"github.com/cosi-emu/cosi-emu/internal/controller/binding"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

// maxNamed is the maximum number of BucketAccesses that a message names.
const maxNamed = 3

// awaitAccesses blocks the deletion of a claim that a BucketAccess names, in any state: one that
// was never granted would wait for a bucket that never comes back. The end of the access causes the
// next reconcile.
func (a *attempt) awaitAccesses(ctx context.Context) error {
	list := &v1alpha1.BucketAccessList{}
	err := a.Client.List(ctx, list, client.InNamespace(a.Object.Namespace),
		client.MatchingFields{accessesByClaim: a.Object.Name}, client.UnsafeDisableDeepCopy)
	if err != nil {
		return fmt.Errorf("list BucketAccesses of BucketClaim %s: %w", client.ObjectKeyFromObject(a.Object), err)
	}
	return blockedBy(list.Items)
}

// confirmUnused asks the API server, because the cache may lack an access whose bucket would be
// deleted. If the two disagree, the claim is reconciled again.
func (a *attempt) confirmUnused(ctx context.Context) error {
	list := &v1alpha1.BucketAccessList{}
	if err := a.Live.List(ctx, list, client.InNamespace(a.Object.Namespace)); err != nil {
		return fmt.Errorf("list BucketAccesses of namespace %s: %w", a.Object.Namespace, err)
	}
	err := blockedBy(slices.DeleteFunc(list.Items, func(access v1alpha1.BucketAccess) bool {
		return access.Spec.BucketClaimName != a.Object.Name
	}))
	if err != nil {
		a.Requeue()
	}
	return err
}

func blockedBy(accesses []v1alpha1.BucketAccess) error {
	if len(accesses) == 0 {
		return nil
	}
	names := make([]string, 0, len(accesses))
	for i := range accesses {
		names = append(names, accesses[i].Name)
	}
	slices.Sort(names)
	more := ""
	if len(names) > maxNamed {
		names, more = names[:maxNamed], " and others"
	}
	return reasons.Blocked(v1alpha2.ReasonDeletionBlocked, "deletion waits for BucketAccess %s%s", strings.Join(names, ", "), more)
}

// removeBuckets separates the claim from its Bucket, and waits for the end of a Bucket that it must
// delete: the sidecar keeps it until its policy is carried out. Buckets are read from the API
// server, because one that the cache does not show would outlive the claim. Buckets of other claims
// are not touched.
func (a *attempt) removeBuckets(ctx context.Context) error {
	for _, name := range names(a.Object) {
		bucket, err := get(ctx, a.Live, name)
		if err != nil {
			return err
		}
		if bucket == nil || !isBoundTo(bucket, a.Object) {
			continue
		}
		if err := a.removeBucket(ctx, bucket); err != nil {
			return err
		}
	}
	return nil
}

// removeBucket deletes a Bucket, for either policy: the sidecar keeps the backend bucket if the
// policy is Retain. But an administrator's Bucket with that policy is only released, so that
// another claim can bind it.
func (a *attempt) removeBucket(ctx context.Context, bucket *v1alpha1.Bucket) error {
	if bucket.DeletionTimestamp.IsZero() {
		if err := a.confirmUnused(ctx); err != nil {
			return err
		}
		if !isCreatedFor(bucket, a.Object) && bucket.Spec.DeletionPolicy != v1alpha1.DeletionPolicyDelete {
			return a.releaseBucket(ctx, bucket)
		}
		if err := binding.Delete(ctx, a.Client, bucket); err != nil {
			return err
		}
	}
	switch now, err := get(ctx, a.Live, bucket.Name); {
	case err != nil:
		return err
	case now == nil || now.UID != bucket.UID:
		return nil
	default:
		return reasons.Blocked(v1alpha2.ReasonDeletionBlocked, "deletion waits for Bucket %q, which is being deleted", bucket.Name)
	}
}

// releaseBucket empties the reference of a Bucket. The lock keeps it from releasing a Bucket that
// has changed, for instance its policy.
func (a *attempt) releaseBucket(ctx context.Context, bucket *v1alpha1.Bucket) error {
	before := bucket.DeepCopy()
	bucket.Spec.BucketClaim = &corev1.ObjectReference{} // the field is required
	if err := a.Client.Patch(ctx, bucket, locked(before)); err != nil {
		return fmt.Errorf("release Bucket %s: %w", bucket.Name, err)
	}
	return nil
}

// markUnready marks a claim as unusable if another finalizer keeps it after this controller has
// released it. Any other claim vanishes.
func (a *attempt) markUnready(ctx context.Context) error {
	if len(a.Object.GetFinalizers()) <= 1 {
		return nil
	}
	a.Object.Status.BucketReady = false
	return a.SaveStatus(ctx)
}

// removeFinalizer is locked, like every patch of metadata.
func (a *attempt) removeFinalizer(ctx context.Context) error {
	return a.PatchMetadata(ctx, func(claim *v1alpha1.BucketClaim) {
		controllerutil.RemoveFinalizer(claim, v1alpha1.BucketClaimFinalizer)
	})
}
