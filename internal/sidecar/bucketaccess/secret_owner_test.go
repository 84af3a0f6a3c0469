package bucketaccess

import (
	"net/http"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

// TestBelongs: which existing Secrets an access uses. ensureSecrets asks, which writes nothing
// then.
func TestBelongs(t *testing.T) {
	t.Parallel()
	has := func(edits ...func(*corev1.Secret)) func(*scene) {
		return func(s *scene) { s.hasAccess(); s.hasSecret(edits...) }
	}
	owner := func(edit func(*corev1.Secret)) func(*scene) { return has(edit) }
	withoutFinalizer := func(secret *corev1.Secret) { secret.Finalizers = nil }
	ofUID := func(secret *corev1.Secret) { secret.OwnerReferences[0].UID = phasetest.OtherUID }
	taken := invalid(v1alpha2.ReasonSecretConflict)
	runTable(t, []phaseCase{
		{Name: "controlled by the access", Reason: "it is its own", Given: has()},
		{Name: "controlled by the access, stripped", Reason: "the owner is the evidence", Given: has(withoutFinalizer)},
		{Name: "orphan of the access", Reason: "the finalizer and the annotation are the evidence", Given: has(orphaned)},
		{
			Name: "orphan without an annotation", Reason: "the finalizer is the evidence that COSI has made it",
			Given: has(orphaned, func(secret *corev1.Secret) { secret.Annotations = nil }),
		},
		{Name: "orphan without a finalizer", Reason: "a user may have copied it", Given: has(orphaned, withoutFinalizer), Want: taken},
		{
			Name: "orphan of another access", Reason: "its credentials are another application's",
			Given: has(orphaned, func(secret *corev1.Secret) {
				secret.Annotations[v1alpha2.BucketAccessReferenceAnnotation] = secret.Namespace + "/other"
			}),
			Want: taken,
		},
		{
			Name: "controlled by an earlier access of the name", Reason: "that one is gone, and nothing else releases the Secret",
			Given: has(ofUID),
		},
		{
			Name: "controlled by another access", Reason: "its credentials are another application's",
			Given: owner(func(secret *corev1.Secret) { ofUID(secret); secret.OwnerReferences[0].Name = "other" }), Want: taken,
		},
		{
			Name: "controlled by another kind", Reason: "its component writes it",
			Given: owner(func(secret *corev1.Secret) { ofUID(secret); secret.OwnerReferences[0].Kind = "ConfigMap" }), Want: taken,
		},
		{
			Name: "controlled by an access of another version", Reason: "another sidecar writes it",
			Given: owner(func(secret *corev1.Secret) {
				ofUID(secret)
				secret.OwnerReferences[0].APIVersion = "objectstorage.k8s.io/v1alpha1"
			}),
			Want: taken,
		},
		{
			Name: "orphan, access created again meanwhile", Reason: "the name does not tell which access the Secret is of",
			Given: func(s *scene) {
				s.hasAccess()
				s.hasSecret(orphaned)
				s.Behind(func() { s.ForceRemove(s.access); s.hasAccess() })
			},
			Want: phasetest.Retried("Conflict"),
		},
		{
			Name: "orphan, API server fails", Reason: "only the access that it has now may take the Secret",
			Given: func(s *scene) {
				s.hasAccess()
				s.hasSecret(orphaned)
				s.Reject("get bucketaccesses", http.StatusInternalServerError)
			},
			Want: failed(),
		},
	}, (*attempt).ensureSecrets)
}
