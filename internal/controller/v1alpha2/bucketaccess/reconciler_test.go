package bucketaccess

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

func TestAddFinalizer(t *testing.T) {
	t.Parallel()
	runTable(t, []phaseCase{
		{
			Name: "new access", Reason: "no claim is protected yet, which only the deletion of the access releases",
			Given: func(s *scene) { s.hasAccess(withoutFinalizer) },
			Want: phasetest.Outcome{
				Writes:  []string{accessPatch},
				Changes: []string{`BucketAccess app: metadata.finalizers=["objectstorage.k8s.io/protection"]`},
			},
		},
		{Name: "finalizer", Reason: "nothing is to be done", Given: func(s *scene) { s.hasAccess() }},
		{
			Name: "changed meanwhile", Reason: "finalizers are a list: the patch would drop what another writer has added",
			Given: func(s *scene) {
				s.hasAccess(withoutFinalizer)
				s.Behind(func() { s.Modify(s.access, func() { audited(s.access) }) })
			},
			Want: phasetest.Retried("Conflict", accessPatch+": Conflict"),
		},
		{
			Name: "gone meanwhile", Reason: "there is nothing to keep",
			Given: func(s *scene) { s.hasAccess(withoutFinalizer); s.Behind(func() { s.Remove(s.access) }) },
			Want:  phasetest.Retried("NotFound", accessPatch+": Not Found"),
		},
		{
			Name: "API server fails", Reason: "no claim is protected before",
			Given: func(s *scene) {
				s.hasAccess(withoutFinalizer)
				s.Reject("patch bucketaccesses", http.StatusInternalServerError)
			},
			Want: failed(accessPatch + phasetest.ServerFails),
		},
	}, (*attempt).addFinalizer)
}

func TestReconcile(t *testing.T) {
	t.Parallel()
	handsOff := func(writes ...string) phasetest.Outcome {
		return phasetest.Outcome{
			Writes: append(writes, statusPatch),
			Changes: []string{
				accessedPhotos, "BucketAccess app: status.authenticationType=Key",
				"BucketAccess app: status.driverName=driver.test", "BucketAccess app: status.parameters.role=user", isProtected,
			},
			Conditions: []string{"Provisioned=Unknown WaitingForDriver", "ResourcesValidated=True Validated"},
		}
	}
	runTable(t, []phaseCase{
		{
			Name: "new access", Reason: "the finalizer, then the protection of the claim, then the hand-off",
			Given: func(s *scene) { s.hasClass(); s.hasAccess(withoutFinalizer); s.hasBucket(s.hasClaim("photos")) },
			Want: func() phasetest.Outcome {
				o := handsOff(accessPatch, protects)
				o.Changes = append([]string{`BucketAccess app: metadata.finalizers=["objectstorage.k8s.io/protection"]`}, o.Changes...)
				return o
			}(),
		},
		{
			Name: "rejected access that can be granted", Reason: "the rejection is removed before the claim is relied on",
			Given: func(s *scene) { s.hasClass(); s.hasAccess(rejected); s.hasBucket(s.hasClaim("photos")) },
			Want:  handsOff(statusPatch, protects),
		},
		{
			Name: "Bucket that is not ready", Reason: "its claim is protected while the access waits",
			Given: func(s *scene) { s.hasClass(); s.hasAccess(); s.hasBucket(s.hasClaim("photos"), withoutID) },
			Want: func() phasetest.Outcome {
				o := waiting(v1alpha2.ReasonWaitingForBucket)
				o.Writes, o.Changes = []string{protects, statusPatch}, []string{isProtected}
				return o
			}(),
		},
		{
			Name: "access that can never be granted", Reason: "its claim is not protected, and it gets no finalizer",
			Given: func(s *scene) {
				s.hasClass()
				s.hasAccess(withoutFinalizer)
				s.hasBucket(s.hasClaim("photos"), ofOtherDriver)
			},
			Want: invalid(v1alpha2.ReasonDriverMismatch),
		},
		{
			Name: "no claim, and no class", Reason: "the class comes first",
			Given: func(s *scene) { s.hasAccess() },
			Want:  waiting(v1alpha2.ReasonBucketAccessClassNotFound),
		},
		{
			Name: "access of the sidecar", Reason: "only its claims are kept",
			Given: func(s *scene) {
				claim := s.hasClaim("photos")
				s.hasBucket(claim)
				s.hasAccess(withoutFinalizer, handedOff(claim))
			},
			Want: phasetest.Outcome{Writes: []string{protects}, Changes: []string{isProtected}},
		},
		{
			Name: "deleting access", Reason: "its claim is released before the access is",
			Given: func(s *scene) { s.hasClaim("photos", protected); s.hasAccess(going) },
			Want: phasetest.Outcome{
				Writes: []string{"patch bucketclaims photos (resourceVersion)", accessPatch},
				Changes: []string{
					"BucketAccess app is gone",
					"BucketClaim photos: metadata.annotations.objectstorage.k8s.io/has-bucketaccess-references is removed",
				},
			},
		},
	})
}

func TestOwns(t *testing.T) {
	t.Parallel()
	sidecars := func(access *v1alpha2.BucketAccess) { access.Status.DriverName = "driver.test" }
	cleanedUp := func(access *v1alpha2.BucketAccess) {
		sidecars(access)
		access.Annotations = map[string]string{v1alpha2.SidecarCleanupFinishedAnnotation: ""}
	}
	cases := []struct {
		name   string
		reason string
		edits  []func(*v1alpha2.BucketAccess)
		want   bool
	}{
		{"new", "it has to be prepared", nil, true},
		{"handed off", "its claims have to be kept", []func(*v1alpha2.BucketAccess){sidecars}, true},
		{"deleting", "its claims have to be released", []func(*v1alpha2.BucketAccess){going}, true},
		{"deleting, handed off", "the sidecar has to revoke it first", []func(*v1alpha2.BucketAccess){going, sidecars}, false},
		{"deleting, cleaned up", "its claims have to be released", []func(*v1alpha2.BucketAccess){going, cleanedUp}, true},
		{"deleting, released", "it may have vanished", []func(*v1alpha2.BucketAccess){going, cleanedUp, withoutFinalizer}, false},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			access := &v1alpha2.BucketAccess{ObjectMeta: metav1.ObjectMeta{Finalizers: []string{v1alpha2.ProtectionFinalizer}}}
			for _, edit := range tc.edits {
				edit(access)
			}
			if diff := cmp.Diff(tc.want, owns(access)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}
