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
			name: "new access", reason: "no claim is protected yet, which only the deletion of the access releases",
			given: func(s *scene) { s.hasAccess(withoutFinalizer) },
			want: phasetest.Outcome{
				Writes:  []string{accessPatch},
				Changes: []string{`BucketAccess app: metadata.finalizers=["objectstorage.k8s.io/protection"]`},
			},
		},
		{name: "finalizer", reason: "nothing is to be done", given: func(s *scene) { s.hasAccess() }},
		{
			name: "changed meanwhile", reason: "finalizers are a list: the patch would drop what another writer has added",
			given: func(s *scene) {
				s.hasAccess(withoutFinalizer)
				s.Behind(func() { s.Modify(s.access, func() { audited(s.access) }) })
			},
			want: phasetest.Retried("Conflict", accessPatch+": Conflict"),
		},
		{
			name: "gone meanwhile", reason: "there is nothing to keep",
			given: func(s *scene) { s.hasAccess(withoutFinalizer); s.Behind(func() { s.Remove(s.access) }) },
			want:  phasetest.Retried("NotFound", accessPatch+": Not Found"),
		},
		{
			name: "API server fails", reason: "no claim is protected before",
			given: func(s *scene) {
				s.hasAccess(withoutFinalizer)
				s.Reject("patch bucketaccesses", http.StatusInternalServerError)
			},
			want: failed(accessPatch + ": Internal Server Error"),
		},
	}, (*attempt).addFinalizer)
}

// TestReconcile: the order of the phases, by their writes.
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
			name: "new access", reason: "the finalizer, then the protection of the claim, then the hand-off",
			given: func(s *scene) { s.hasClass(); s.hasAccess(withoutFinalizer); s.hasBucket(s.hasClaim("photos")) },
			want: func() phasetest.Outcome {
				o := handsOff(accessPatch, protects)
				o.Changes = append([]string{`BucketAccess app: metadata.finalizers=["objectstorage.k8s.io/protection"]`}, o.Changes...)
				return o
			}(),
		},
		{
			name: "rejected access that can be granted", reason: "the rejection is removed before the claim is relied on",
			given: func(s *scene) { s.hasClass(); s.hasAccess(rejected); s.hasBucket(s.hasClaim("photos")) },
			want:  handsOff(statusPatch, protects),
		},
		{
			name: "Bucket that is not ready", reason: "its claim is protected while the access waits",
			given: func(s *scene) { s.hasClass(); s.hasAccess(); s.hasBucket(s.hasClaim("photos"), withoutID) },
			want: func() phasetest.Outcome {
				o := waiting(v1alpha2.ReasonWaitingForBucket)
				o.Writes, o.Changes = []string{protects, statusPatch}, []string{isProtected}
				return o
			}(),
		},
		{
			name: "access that can never be granted", reason: "its claim is not protected, and it gets no finalizer",
			given: func(s *scene) {
				s.hasClass()
				s.hasAccess(withoutFinalizer)
				s.hasBucket(s.hasClaim("photos"), ofOtherDriver)
			},
			want: invalid(v1alpha2.ReasonDriverMismatch),
		},
		{
			name: "no claim, and no class", reason: "the class comes first",
			given: func(s *scene) { s.hasAccess() },
			want:  waiting(v1alpha2.ReasonBucketAccessClassNotFound),
		},
		{
			name: "access of the sidecar", reason: "only its claims are kept",
			given: func(s *scene) {
				claim := s.hasClaim("photos")
				s.hasBucket(claim)
				s.hasAccess(withoutFinalizer, handedOff(claim))
			},
			want: phasetest.Outcome{Writes: []string{protects}, Changes: []string{isProtected}},
		},
		{
			name: "deleting access", reason: "its claim is released before the access is",
			given: func(s *scene) { s.hasClaim("photos", protected); s.hasAccess(going) },
			want: phasetest.Outcome{
				Writes: []string{"patch bucketclaims photos (resourceVersion)", accessPatch},
				Changes: []string{
					"BucketAccess app is gone",
					"BucketClaim photos: metadata.annotations.objectstorage.k8s.io/has-bucketaccess-references is removed",
				},
			},
		},
	})
}

// TestOwns: which accesses the controller reconciles.
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
