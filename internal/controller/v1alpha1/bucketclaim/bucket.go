package bucketclaim

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/internal/controller/binding"
)

// reference returns the reference by which a Bucket is bound to a claim.
func reference(claim *v1alpha1.BucketClaim) *corev1.ObjectReference {
	return &corev1.ObjectReference{
		Kind:       "BucketClaim",
		APIVersion: v1alpha1.SchemeGroupVersion.String(),
		Namespace:  claim.Namespace,
		Name:       claim.Name,
		UID:        claim.UID,
	}
}

// referenceOf returns the reference of a Bucket, which is empty if it has none.
func referenceOf(bucket *v1alpha1.Bucket) corev1.ObjectReference {
	if bucket.Spec.BucketClaim == nil {
		return corev1.ObjectReference{}
	}
	return *bucket.Spec.BucketClaim
}

func isBoundTo(bucket *v1alpha1.Bucket, claim *v1alpha1.BucketClaim) bool {
	ref := referenceOf(bucket)
	return ref.Namespace == claim.Namespace && ref.Name == claim.Name && ref.UID == claim.UID
}

// isFree reports whether the claim may bind the Bucket: it refers to no claim, or to this one
// without a UID.
func isFree(bucket *v1alpha1.Bucket, claim *v1alpha1.BucketClaim) bool {
	ref := referenceOf(bucket)
	isEmpty := ref.Namespace == "" && ref.Name == ""
	return ref.UID == "" && (isEmpty || ref.Namespace == claim.Namespace && ref.Name == claim.Name)
}

// isReserved reports whether the Bucket refers to a claim by its name, as one does that was restored from a copy.
func isReserved(bucket *v1alpha1.Bucket) bool { return referenceOf(bucket).Name != "" }

// isCreatedFor reports whether a controller has created the Bucket for the claim. Earlier
// controllers put the name of the class in front of the UID. Any other Bucket is an
// administrator's.
func isCreatedFor(bucket *v1alpha1.Bucket, claim *v1alpha1.BucketClaim) bool {
	return strings.HasSuffix(bucket.Name, string(claim.UID))
}

// owner describes the claim that a Bucket refers to, for messages.
func owner(bucket *v1alpha1.Bucket) string {
	ref := referenceOf(bucket)
	switch {
	case ref.Name == "" && ref.UID == "":
		return "no BucketClaim"
	case ref.UID == "":
		return fmt.Sprintf("BucketClaim %s/%s", ref.Namespace, ref.Name)
	default:
		return fmt.Sprintf("BucketClaim %s/%s with UID %s", ref.Namespace, ref.Name, ref.UID)
	}
}

// names returns the names of all Buckets that may be bound to the claim: the one that it is
// bound to, the existing one that it names, and the one that the controller creates for it.
// They differ only if the claim was edited, or if the controller was interrupted.
func names(claim *v1alpha1.BucketClaim) []string {
	found := []string{v1alpha1.BucketNameForClaim(claim.UID)}
	for _, name := range []string{claim.Status.BucketName, claim.Spec.ExistingBucketName} {
		if name != "" && name != found[0] && name != found[len(found)-1] {
			found = append(found, name)
		}
	}
	return found
}

// findConfirmed is for callers that act on the loss of the Bucket.
func (a *attempt) findConfirmed(ctx context.Context, name string) (*v1alpha1.Bucket, error) {
	return binding.GetConfirmed(ctx, a.Client, a.Live, name,
		func(b *v1alpha1.Bucket) bool { return isBoundTo(b, a.Object) }, a.Requeue)
}

func get(ctx context.Context, from client.Reader, name string) (*v1alpha1.Bucket, error) {
	return binding.Get[v1alpha1.Bucket](ctx, from, name)
}
