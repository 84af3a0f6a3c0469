package bucketaccess

import (
	"net/http"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

// TestBelongs: the existing Secrets that an access uses. ensureSecrets asks, and writes nothing
// then.
func TestBelongs(t *testing.T) {
	t.Parallel()
	has := func(edits ...func(*corev1.Secret)) func(*scene) {
		return func(s *scene) { s.hasAccess(); s.hasSecret(edits...) }
	}
	withoutFinalizer := func(secret *corev1.Secret) { secret.Finalizers = nil }
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

// TestHasLostItsOwner: Secrets whose owner does not exist. The garbage collector would delete
// them.
func TestHasLostItsOwner(t *testing.T) {
	t.Parallel()
	access := &v1alpha2.BucketAccess{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "app", UID: "uid"}}
	earlier := metav1.OwnerReference{
		APIVersion: v1alpha2.SchemeGroupVersion.String(), Kind: "BucketAccess", Name: "app", UID: "earlier", Controller: new(true),
	}
	for _, tc := range []struct {
		name, reason string
		edit         func(*metav1.OwnerReference)
		want         bool
	}{
		{"earlier access of the name", "nothing else releases the Secret", func(*metav1.OwnerReference) {}, true},
		{"another access", "its credentials are another application's", func(o *metav1.OwnerReference) { o.Name = "other" }, false},
		{"another kind", "its component writes it", func(o *metav1.OwnerReference) { o.Kind = "ConfigMap" }, false},
		{
			"access of another version", "another sidecar writes it",
			func(o *metav1.OwnerReference) { o.APIVersion = "objectstorage.k8s.io/v1alpha1" }, false,
		},
		{"owner that does not control it", "the name of the access counts", func(o *metav1.OwnerReference) { o.Controller = nil }, true},
	} {
		owner := earlier
		tc.edit(&owner)
		secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{
			Namespace: "ns", Finalizers: []string{v1alpha2.ProtectionFinalizer}, OwnerReferences: []metav1.OwnerReference{owner},
		}}
		if got := hasLostItsOwner(secret, access); got != tc.want {
			t.Errorf("controlled by %s: %s: got %t, want %t", tc.name, tc.reason, got, tc.want)
		}
	}
}
