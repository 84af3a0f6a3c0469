package bucket

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// Announce sets the annotation that tells the sidecar that a Bucket's claim is being deleted, or
// does not exist any more, and that it may deprovision. The write is locked to the version that was
// read, so that it cannot affect a later Bucket of the name.
func Announce(ctx context.Context, c client.Client, bucket *v1alpha2.Bucket) error {
	if metav1.HasAnnotation(bucket.ObjectMeta, v1alpha2.BucketClaimBeingDeletedAnnotation) {
		return nil
	}
	before := bucket.DeepCopy()
	metav1.SetMetaDataAnnotation(&bucket.ObjectMeta, v1alpha2.BucketClaimBeingDeletedAnnotation, "")
	if err := c.Patch(ctx, bucket, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})); err != nil {
		return fmt.Errorf("annotate Bucket %s: %w", bucket.Name, err)
	}
	return nil
}
