package bucketclaim

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2" // for the reasons, which are those of both versions
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

// bindExisting returns the Bucket that an administrator has created.
func (r *Reconciler) bindExisting(ctx context.Context, claim *v1alpha1.BucketClaim, name string) (*v1alpha1.Bucket, error) {
	bucket, err := get(ctx, r.Client, name)
	switch {
	case err != nil:
		return nil, err
	case bucket == nil:
		return nil, reasons.Waiting(v1alpha2.ReasonBucketNotFound, "waiting for Bucket %q, which does not exist", name)
	case isBoundTo(bucket, claim):
		return bucket, nil
	case !isFree(bucket, claim):
		return nil, reasons.Invalid(v1alpha2.ReasonBindingConflict,
			"Bucket %q belongs to %s: claim another Bucket, or delete that BucketClaim", name, owner(bucket))
	default:
		return r.adopt(ctx, claim, bucket)
	}
}

// adopt checks a Bucket that no claim has, and binds it. Nothing else of the Bucket changes.
func (r *Reconciler) adopt(ctx context.Context, claim *v1alpha1.BucketClaim, bucket *v1alpha1.Bucket) (*v1alpha1.Bucket, error) {
	if !bucket.DeletionTimestamp.IsZero() {
		return nil, reasons.Invalid(v1alpha2.ReasonBucketDeleting, "Bucket %q is being deleted", bucket.Name)
	}
	if err := checkProtocols(claim, bucket); err != nil {
		return nil, err
	}
	before := bucket.DeepCopy()
	bucket.Spec.BucketClaim = reference(claim)
	// The lock decides between two claims, and keeps the claim from binding another Bucket
	// that has the name by now.
	if err := r.Client.Patch(ctx, bucket, locked(before)); err != nil {
		return nil, fmt.Errorf("bind Bucket %s: %w", bucket.Name, err)
	}
	return bucket, nil
}

// checkProtocols rejects a Bucket that lacks a protocol of the claim. Elsewhere protocols
// are written in upper and in lower case.
func checkProtocols(claim *v1alpha1.BucketClaim, bucket *v1alpha1.Bucket) error {
	var lacking []v1alpha1.Protocol
	for _, wanted := range claim.Spec.Protocols {
		if !slices.ContainsFunc(bucket.Spec.Protocols, func(has v1alpha1.Protocol) bool {
			return strings.EqualFold(string(has), string(wanted))
		}) {
			lacking = append(lacking, wanted)
		}
	}
	if len(lacking) == 0 {
		return nil
	}
	return reasons.Invalid(v1alpha2.ReasonProtocolNotSupported,
		"Bucket %q has the protocols %v, and lacks %v, which this claim requires", bucket.Name, bucket.Spec.Protocols, lacking)
}

func locked(before *v1alpha1.Bucket) client.Patch {
	return client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
}
