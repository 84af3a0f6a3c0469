package bucketclaim

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/condition"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

// hasAccess makes the access "app" to the claim "photos".
func (s *scene) hasAccess(edits ...func(*v1alpha2.BucketAccess)) {
	s.Helper()
	access := &v1alpha2.BucketAccess{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: "app"},
		Spec: v1alpha2.BucketAccessSpec{
			BucketAccessClassName: "keys", Protocol: v1alpha2.ProtocolS3,
			BucketClaims: []v1alpha2.BucketClaimAccess{{
				BucketClaimName: "photos", AccessSecretName: "app",
				AccessModes: v1alpha2.BucketAccessModes{ObjectData: v1alpha2.BucketAccessModeReadWrite},
			}},
		},
	}
	for _, edit := range edits {
		edit(access)
	}
	s.Make(access)
}

func handedOff(access *v1alpha2.BucketAccess) { access.Status.DriverName = "driver.test" }

// cleanedUp has the sidecar be done with an access.
func cleanedUp(access *v1alpha2.BucketAccess) {
	handedOff(access)
	access.DeletionTimestamp, access.Finalizers = new(metav1.Now()), []string{v1alpha2.ProtectionFinalizer}
	metav1.SetMetaDataAnnotation(&access.ObjectMeta, v1alpha2.SidecarCleanupFinishedAnnotation, "")
}

func rejected(access *v1alpha2.BucketAccess) {
	condition.For(&access.Status.Conditions, 1).
		Set(v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonDriverMismatch, "m")
}

func toOtherClaim(access *v1alpha2.BucketAccess) {
	access.Spec.BucketClaims[0].BucketClaimName = "videos"
}

const unprotectedClaim = "BucketClaim photos: metadata.annotations.objectstorage.k8s.io/has-bucketaccess-references is removed"

func TestUnprotect(t *testing.T) {
	t.Parallel()
	released := phasetest.Outcome{Writes: []string{claimPatch}, Changes: []string{unprotectedClaim}}
	runTable(t, []phaseCase{
		{name: "no annotation", reason: "nothing is to be done", given: func(s *scene) { s.hasClaim() }},
		{
			name: "access that waits", reason: "it needs the claim",
			given: func(s *scene) { s.hasClaim(protected); s.hasAccess() },
		},
		{
			name: "access that was handed off", reason: "it has credentials",
			given: func(s *scene) { s.hasClaim(protected); s.hasAccess(handedOff) },
		},
		{
			name: "access that the cache does not have", reason: "credentials would outlive the protection of their claim",
			given: func(s *scene) { s.hasClaim(protected); s.Behind(func() { s.hasAccess(handedOff) }) },
		},
		{
			name: "no access", reason: "the last one has vanished without removing the annotation",
			given: func(s *scene) { s.hasClaim(protected) },
			want:  released,
		},
		{
			name: "deleting claim", reason: "nothing keeps it any more",
			given: func(s *scene) { s.hasClaim(protected, deleting) },
			want:  released,
		},
		{
			name: "rejected access", reason: "it has no credentials, and gets none",
			given: func(s *scene) { s.hasClaim(protected); s.hasAccess(rejected) },
			want:  released,
		},
		{
			name: "access that was cleaned up", reason: "it has no credentials any more",
			given: func(s *scene) { s.hasClaim(protected); s.hasAccess(cleanedUp) },
			want:  released,
		},
		{
			name: "access to another claim", reason: "it does not need this one",
			given: func(s *scene) { s.hasClaim(protected); s.hasAccess(toOtherClaim) },
			want:  released,
		},
		{
			name: "claim changed meanwhile", reason: "an access may have come to need it",
			given: func(s *scene) { s.hasClaim(protected); s.Before("patch bucketclaims", func() { s.label(s.claim) }) },
			want:  phasetest.Retried("Conflict", claimPatch+": Conflict"),
		},
		{
			name: "API server fails", reason: "nothing is concluded about accesses",
			given: func(s *scene) { s.hasClaim(protected); s.Reject("get bucketaccesses", http.StatusInternalServerError) },
			want:  failed(),
		},
	}, (*attempt).unprotect)
}

func TestAwaitAccesses(t *testing.T) {
	t.Parallel()
	blocked := phasetest.Outcome{
		Writes: []string{statusPatch}, Conditions: []string{"ResourcesValidated=Unknown DeletionBlocked"},
		Events: []string{"Normal DeletionBlocked of BucketClaim photos"}, Err: "Blocked DeletionBlocked",
	}
	runTable(t, []phaseCase{
		{name: "no access", reason: "the claim can go", given: func(s *scene) { s.hasClaim(deleting) }},
		{
			name: "access that was never handed off", reason: "without the annotation it has no credentials",
			given: func(s *scene) { s.hasClaim(deleting); s.hasAccess() },
		},
		{
			name: "access that was cleaned up", reason: "it has no credentials any more",
			given: func(s *scene) { s.hasClaim(deleting); s.hasAccess(cleanedUp) },
		},
		{
			name: "annotation and access", reason: "the access keeps the claim",
			given: func(s *scene) { s.hasClaim(protected, deleting); s.hasAccess() },
			want:  blocked,
		},
		{
			name: "annotation only", reason: "removing it is up to unprotect, or to a user",
			given: func(s *scene) { s.hasClaim(protected, deleting) },
			want:  blocked,
		},
		{
			name: "annotation removed by hand", reason: "the access has credentials",
			given: func(s *scene) { s.hasClaim(deleting); s.hasAccess(handedOff) },
			want:  blocked,
		},
		{
			name: "access that the cache does not have", reason: "the API server has it, and it has credentials",
			given: func(s *scene) { s.hasClaim(deleting); s.Behind(func() { s.hasAccess(handedOff) }) },
			want:  blocked,
		},
		{
			name: "hand-off that the cache does not have", reason: "the API server has it, and the access has credentials",
			given: func(s *scene) {
				s.hasClaim(deleting)
				s.hasAccess(func(access *v1alpha2.BucketAccess) {
					access.Finalizers = []string{v1alpha2.ProtectionFinalizer}
				})
				s.Behind(func() {
					access := &v1alpha2.BucketAccess{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: "app"}}
					s.ModifyStatus(access, func() { handedOff(access) })
				})
			},
			want: blocked,
		},
		{
			name: "API server fails", reason: "the release cannot be undone",
			given: func(s *scene) { s.hasClaim(deleting); s.Reject("get bucketaccesses", http.StatusInternalServerError) },
			want:  failed(),
		},
	}, (*attempt).awaitAccesses)
}

// TestDescribe: the message that says what blocks a deletion is of bounded length.
func TestDescribe(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name     string
		accesses int
		want     string
	}{
		{"none", 0, "annotation objectstorage.k8s.io/has-bucketaccess-references to be removed"},
		{"one", 1, "BucketAccess a0"},
		{"as many as are named", 3, "BucketAccess a0, a1, a2"},
		{"more", 4, "BucketAccess a0, a1, a2 and others"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var names []string
			for i := range tc.accesses {
				names = append(names, fmt.Sprintf("a%d", i))
			}
			if diff := cmp.Diff(tc.want, describe(names)); diff != "" {
				t.Errorf("what the deletion waits for (-want +got):\n%s", diff)
			}
		})
	}
}
