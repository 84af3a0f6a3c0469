package bucketclaim

import (
	"context"
	"fmt"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2" // for the reasons, which both versions share
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

// bindExisting returns the Bucket that an administrator has created.
func (a *attempt) bindExisting(ctx context.Context, name string) (*v1alpha1.Bucket, error) {
	claim := a.Object
	bucket, err := get(ctx, a.Client, name)
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
		return a.adopt(ctx, bucket)
	}
}

// adopt checks an unbound Bucket, and binds it. Nothing else of the Bucket changes.
func (a *attempt) adopt(ctx context.Context, bucket *v1alpha1.Bucket) (*v1alpha1.Bucket, error) {
	if !bucket.DeletionTimestamp.IsZero() {
		return nil, reasons.Invalid(v1alpha2.ReasonBucketDeleting, "Bucket %q is being deleted", bucket.Name)
	}
	if lacking := lackingProtocols(a.Object, bucket); lacking != "" {
		if err := a.Tolerate(v1alpha2.ReasonProtocolNotSupported, lacking, "it is bound all the same"); err != nil {
			return nil, err
		}
	}
	before := bucket.DeepCopy()
	bucket.Spec.BucketClaim = reference(a.Object)
	// The lock decides between two claims, and keeps the claim from binding a later Bucket of the
	// name.
	if err := a.Client.Patch(ctx, bucket, locked(before)); err != nil {
		return nil, fmt.Errorf("bind Bucket %s: %w", bucket.Name, err)
	}
	return bucket, nil
}

func lackingProtocols(claim *v1alpha1.BucketClaim, bucket *v1alpha1.Bucket) string {
	var lacking []v1alpha1.Protocol
	for _, wanted := range claim.Spec.Protocols {
		if !slices.ContainsFunc(bucket.Spec.Protocols, wanted.Equal) {
			lacking = append(lacking, wanted)
		}
	}
	if len(lacking) == 0 {
		return ""
	}
	return fmt.Sprintf("Bucket %q has the protocols %v, and lacks %v, which this claim requires", bucket.Name, bucket.Spec.Protocols, lacking)
}

func locked(before *v1alpha1.Bucket) client.Patch {
	return client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
}
