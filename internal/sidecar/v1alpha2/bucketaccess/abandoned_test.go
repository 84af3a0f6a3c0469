// The tests of this file guard internal/sidecar/abandoned, which collects the Secrets that this package
// has created. They are in this test binary, which has an API server.

package bucketaccess_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/abandoned"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/secretstore"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

var suite = phasetest.Suite{Kinds: []client.Object{&v1alpha2.BucketAccess{}, secretstore.Metadata()}}

const (
	releases   = "patch secrets app (resourceVersion)"
	deletes    = "delete secrets app (uid, resourceVersion)"
	isDeleting = "Secret app: metadata.deletionTimestamp=now"
)

// accesses are the driver's.
func accesses() abandoned.Accesses[*v1alpha2.BucketAccess] {
	return abandoned.Accesses[*v1alpha2.BucketAccess]{
		Driver: "driver.test", Finalizer: v1alpha2.ProtectionFinalizer,
		New: func() *v1alpha2.BucketAccess { return &v1alpha2.BucketAccess{} },
		SecretNames: func(access *v1alpha2.BucketAccess) []string {
			return []string{access.Spec.BucketClaims[0].AccessSecretName}
		},
	}
}

// scene has a Secret, and perhaps its access.
type scene struct {
	*phasetest.Case

	access *v1alpha2.BucketAccess
	secret *corev1.Secret
}

func newScene(c *phasetest.Case) *scene { return &scene{Case: c} }

func (s *scene) reconcile(ctx context.Context, _ *error) (reconcile.Result, error) { //nolint:gocritic // phasetest.Do calls it
	r := &abandoned.Reconciler[*v1alpha2.BucketAccess]{Accesses: accesses(), Cached: s.Client(), Live: s.Live()}
	return r.Reconcile(ctx, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(s.secret)})
}

// hasSecret makes the Secret "app" of the access "app". It has no owner, whose absence would make
// the garbage collector delete it.
func (s *scene) hasSecret(edits ...func(*corev1.Secret)) {
	s.Helper()
	s.secret = phasetest.Make(s.Case, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{
		Namespace: s.Namespace, Name: "app", Finalizers: []string{v1alpha2.ProtectionFinalizer},
		Annotations: map[string]string{
			v1alpha2.BucketAccessReferenceAnnotation: s.Namespace + "/app", v1alpha2.DriverNameAnnotation: "driver.test",
		},
	}}, edits...)
}

func deleted(secret *corev1.Secret) { secret.DeletionTimestamp = new(metav1.Now()) }

func held(secret *corev1.Secret) { secret.Finalizers = append(secret.Finalizers, phasetest.Foreign) }

func stripped(secret *corev1.Secret) { secret.Finalizers = nil }

func withoutReference(secret *corev1.Secret) {
	delete(secret.Annotations, v1alpha2.BucketAccessReferenceAnnotation)
}

func ofOtherDriver(secret *corev1.Secret) {
	secret.Annotations[v1alpha2.DriverNameAnnotation] = "other.test"
}

func fromElsewhere(secret *corev1.Secret) {
	secret.Annotations[v1alpha2.BucketAccessReferenceAnnotation] = "elsewhere/app"
}

func (s *scene) hasAccess(edits ...func(*v1alpha2.BucketAccess)) {
	s.Helper()
	s.access = phasetest.Make(s.Case, &v1alpha2.BucketAccess{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: "app"},
		Spec: v1alpha2.BucketAccessSpec{
			BucketAccessClassName: "keys", Protocol: v1alpha2.ProtocolS3,
			BucketClaims: []v1alpha2.BucketClaimAccess{{
				BucketClaimName: "photos", AccessSecretName: "app",
				AccessModes: v1alpha2.BucketAccessModes{ObjectData: v1alpha2.BucketAccessModeReadWrite},
			}},
		},
	}, edits...)
}

func withOtherSecret(access *v1alpha2.BucketAccess) {
	access.Spec.BucketClaims[0].AccessSecretName = "other"
}

// TestAbandonedSecrets: a Secret is deleted once no access needs it.
func TestAbandonedSecrets(t *testing.T) {
	t.Parallel()
	isDeleted := phasetest.Outcome{Writes: []string{deletes}, Changes: []string{isDeleting}}
	failed := phasetest.Outcome{Err: "InternalError", Requeue: true}
	has := func(edits ...func(*corev1.Secret)) func(*scene) { return func(s *scene) { s.hasSecret(edits...) } }
	table := []phasetest.Entry[*scene]{
		{
			Name: "access", Reason: "it needs the Secret, and no request is made",
			Given: func(s *scene) {
				s.hasSecret()
				s.hasAccess()
				s.Reject("get", http.StatusInternalServerError)
			},
		},
		{
			Name: "no access", Reason: "no component would remove the finalizer, so that the namespace would be Terminating without end",
			Given: has(), Want: isDeleted,
		},
		{
			Name: "no access, deleting Secret", Reason: "the finalizer identifies the owner, and is removed last",
			Given: has(deleted), Want: phasetest.Outcome{Writes: []string{releases}, Changes: []string{"Secret app is gone"}},
		},
		{
			Name: "no access, another component's finalizer", Reason: "it stays",
			Given: has(held, deleted),
			Want: phasetest.Outcome{
				Writes: []string{releases}, Changes: []string{`Secret app: metadata.finalizers=["example.com/audit"]`},
			},
		},
		{
			Name: "access with another Secret", Reason: "it was created again, and does not need this one",
			Given: func(s *scene) { s.hasSecret(); s.hasAccess(withOtherSecret) }, Want: isDeleted,
		},
		{
			Name: "access that the cache does not show", Reason: "the Secret was created for it",
			Given: func(s *scene) { s.hasSecret(); s.Behind(func() { s.hasAccess() }) },
		},
		{
			Name: "access that is gone, which the cache does not show", Reason: "its end is an event, which causes the next reconcile",
			Given: func(s *scene) { s.hasSecret(); s.hasAccess(); s.Behind(func() { s.Remove(s.access) }) },
		},
		{
			Name: "access created meanwhile", Reason: "it may have taken the Secret",
			Given: func(s *scene) { s.hasSecret(); s.Before("get secrets", func() { s.hasAccess() }) },
		},
		{Name: "Secret of a user", Reason: "it is not touched", Given: has(stripped, withoutReference)},
		{Name: "Secret with only the finalizer", Reason: "no access is known that it is of", Given: has(withoutReference)},
		{Name: "Secret without a finalizer", Reason: "nothing keeps it, and a user may have copied it", Given: has(stripped)},
		{Name: "Secret of another driver", Reason: "its sidecar deletes it", Given: has(ofOtherDriver)},
		{Name: "Secret of an access elsewhere", Reason: "an access has its Secrets in its namespace", Given: has(fromElsewhere)},
		{
			Name: "Secret that is gone", Reason: "there is nothing to delete",
			Given: func(s *scene) { s.hasSecret(); s.ForceRemove(s.secret) },
		},
		{
			Name: "Secret that is gone, which the cache does not show", Reason: "that is what was wanted",
			Given: func(s *scene) { s.hasSecret(); s.Behind(func() { s.ForceRemove(s.secret) }) },
		},
		{
			Name: "reference removed, which the cache does not show", Reason: "the Secret is a user's now",
			Given: func(s *scene) {
				s.hasSecret()
				s.Behind(func() { s.Modify(s.secret, func() { withoutReference(s.secret) }) })
			},
		},
		{
			Name: "changed before it is deleted", Reason: "another access may have taken it",
			Given: func(s *scene) { s.hasSecret(); s.Before("delete secrets", func() { s.Label(s.secret) }) },
			Want:  phasetest.Outcome{Writes: []string{deletes + ": Conflict"}, Requeue: true},
		},
		{
			Name: "changed before it is released", Reason: "finalizers are a list",
			Given: func(s *scene) { s.hasSecret(deleted); s.Before("patch secrets", func() { s.Label(s.secret) }) },
			Want:  phasetest.Outcome{Writes: []string{releases + ": Conflict"}, Requeue: true},
		},
		{
			Name: "gone before it is deleted", Reason: "that is what was wanted",
			Given: func(s *scene) { s.hasSecret(); s.Before("delete secrets", func() { s.ForceRemove(s.secret) }) },
			Want:  phasetest.Outcome{Writes: []string{deletes + ": Not Found"}},
		},
		{
			Name: "cache fails", Reason: "the access may need the Secret",
			Given: func(s *scene) { s.hasSecret(); s.FailReads(&v1alpha2.BucketAccess{}) }, Want: phasetest.Retried("Unreadable"),
		},
		{
			Name: "API server fails to read the access", Reason: "it may need the Secret",
			Given: func(s *scene) { s.hasSecret(); s.Reject("get bucketaccesses", http.StatusInternalServerError) }, Want: failed,
		},
		{
			Name: "API server fails to read the Secret", Reason: "it may have changed",
			Given: func(s *scene) { s.hasSecret(); s.Reject("get secrets", http.StatusInternalServerError) }, Want: failed,
		},
		{
			Name: "API server fails to delete", Reason: "it is tried again",
			Given: func(s *scene) { s.hasSecret(); s.Reject("delete secrets", http.StatusInternalServerError) },
			Want:  phasetest.Outcome{Writes: []string{deletes + phasetest.ServerFails}, Err: "InternalError", Requeue: true},
		},
	}
	phasetest.RunTable(t, &suite, table, newScene, func(s *scene) phasetest.Outcome { return s.Do(s.secret, s.reconcile) })
}

func TestKeep(t *testing.T) {
	t.Parallel()
	type kept struct {
		Annotations map[string]string
		Finalizers  []string
	}
	reference := map[string]string{v1alpha2.BucketAccessReferenceAnnotation: "ns/app", v1alpha2.DriverNameAnnotation: "driver.test"}
	ours := kept{reference, []string{v1alpha2.ProtectionFinalizer}}
	for _, tc := range []struct {
		name, reason string
		edits        []func(*corev1.Secret)
		want         kept
	}{
		{"Secret of the driver", "its events are needed", nil, ours},
		{"another component's metadata", "it is not needed", []func(*corev1.Secret){held, func(secret *corev1.Secret) {
			secret.Annotations["example.com/team"] = "a"
		}}, ours},
		{"Secret of another driver", "the cache has the Secrets of the whole cluster", []func(*corev1.Secret){ofOtherDriver}, kept{}},
		{"Secret of a user", "the cache has the Secrets of the whole cluster", []func(*corev1.Secret){stripped, withoutReference}, kept{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{
				Namespace: "ns", Name: "app", Finalizers: []string{v1alpha2.ProtectionFinalizer},
				Annotations: map[string]string{
					v1alpha2.BucketAccessReferenceAnnotation: "ns/app", v1alpha2.DriverNameAnnotation: "driver.test",
				},
			}}
			for _, edit := range tc.edits {
				edit(secret)
			}
			var got kept
			got.Annotations, got.Finalizers = accesses().Keep(secret)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			metadata := &metav1.PartialObjectMetadata{ObjectMeta: secret.ObjectMeta}
			isNew := accesses().SecretPredicate().Create(event.TypedCreateEvent[*metav1.PartialObjectMetadata]{Object: metadata})
			isGone := accesses().SecretPredicate().Delete(event.TypedDeleteEvent[*metav1.PartialObjectMetadata]{Object: metadata})
			if want := len(tc.want.Finalizers) > 0; isNew != want || isGone {
				t.Errorf("a new Secret: selected %t, want %t; one that is gone: selected %t, want false", isNew, want, isGone)
			}
		})
	}
}

// TestAccessPredicate: only the end of an access causes a reconcile of its Secrets.
func TestAccessPredicate(t *testing.T) {
	t.Parallel()
	selects, access := accesses().AccessPredicate(), &v1alpha2.BucketAccess{}
	got := []bool{
		selects.Create(event.TypedCreateEvent[*v1alpha2.BucketAccess]{Object: access}),
		selects.Update(event.TypedUpdateEvent[*v1alpha2.BucketAccess]{ObjectOld: access, ObjectNew: access}),
		selects.Delete(event.TypedDeleteEvent[*v1alpha2.BucketAccess]{Object: access}),
	}
	if diff := cmp.Diff([]bool{false, false, true}, got); diff != "" {
		t.Errorf("created, updated, deleted (-want +got):\n%s", diff)
	}
}
