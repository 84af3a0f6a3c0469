package checks

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// unprotectedClaim reports a claim without the annotation that keeps it for an access. (KEP, "Generating Bucket Access
// Credentials", 3.5.)
func (sc *stateCheck) unprotectedClaim(o *v1alpha2.BucketClaim) string {
	if sc.IsV1alpha1() || o.Status.BoundBucketName == "" || metav1.HasAnnotation(o.ObjectMeta, v1alpha2.HasBucketAccessReferencesAnnotation) {
		return ""
	}
	uses := func(b v1alpha2.AccessedBucket) bool {
		return b.BucketClaimName == o.Name && b.BucketName == o.Status.BoundBucketName
	}
	for i := range sc.observation.Objects.Accesses {
		a := &sc.observation.Objects.Accesses[i]
		if a.Namespace == o.Namespace && !v1alpha2.IsSidecarCleanupFinished(a) && slices.ContainsFunc(a.Status.AccessedBuckets, uses) {
			return fmt.Sprintf("lacks the annotation %s, although BucketAccess %q uses its bucket",
				v1alpha2.HasBucketAccessReferencesAnnotation, a.Name)
		}
	}
	return ""
}

// unprotectedSecret reports a ready access whose Secret anybody can delete at once, so that applications lose it before
// the access is revoked. (KEP, "Generating Bucket Access Credentials", 4.10.)
func (sc *stateCheck) unprotectedSecret(o *v1alpha2.BucketAccess) string {
	if sc.IsV1alpha1() || !o.Status.ReadyToUse || o.DeletionTimestamp != nil {
		return ""
	}
	for _, s := range sc.observation.Objects.Secrets {
		if s.Namespace == o.Namespace && s.Owner == o.UID && !s.Deleting && !slices.Contains(s.Finalizers, v1alpha2.ProtectionFinalizer) {
			return fmt.Sprintf("is ready to use, and its Secret %q lacks the finalizer %s", s.Name, v1alpha2.ProtectionFinalizer)
		}
	}
	return ""
}
