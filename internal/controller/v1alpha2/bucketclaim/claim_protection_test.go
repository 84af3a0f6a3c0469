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
		{Name: "no annotation", Reason: "nothing is to be done", Given: func(s *scene) { s.hasClaim() }},
		{
			Name: "access that waits", Reason: "it needs the claim",
			Given: func(s *scene) { s.hasClaim(protected); s.hasAccess() },
		},
		{
			Name: "access that was handed off", Reason: "it has credentials",
			Given: func(s *scene) { s.hasClaim(protected); s.hasAccess(handedOff) },
		},
		{
			Name: "access that the cache does not have", Reason: "credentials would outlive the protection of their claim",
			Given: func(s *scene) { s.hasClaim(protected); s.Behind(func() { s.hasAccess(handedOff) }) },
		},
		{
			Name: "no access", Reason: "the last one has vanished without removing the annotation",
			Given: func(s *scene) { s.hasClaim(protected) },
			Want:  released,
		},
		{
			Name: "deleting claim", Reason: "nothing keeps it any more",
			Given: func(s *scene) { s.hasClaim(protected, deleting) },
			Want:  released,
		},
		{
			Name: "rejected access", Reason: "it has no credentials, and gets none",
			Given: func(s *scene) { s.hasClaim(protected); s.hasAccess(rejected) },
			Want:  released,
		},
		{
			Name: "access that was cleaned up", Reason: "it has no credentials any more",
			Given: func(s *scene) { s.hasClaim(protected); s.hasAccess(cleanedUp) },
			Want:  released,
		},
		{
			Name: "access to another claim", Reason: "it does not need this one",
			Given: func(s *scene) { s.hasClaim(protected); s.hasAccess(toOtherClaim) },
			Want:  released,
		},
		{
			Name: "claim changed meanwhile", Reason: "an access may have come to need it",
			Given: func(s *scene) { s.hasClaim(protected); s.Before("patch bucketclaims", func() { s.Label(s.claim) }) },
			Want:  phasetest.Retried("Conflict", claimPatch+": Conflict"),
		},
		{
			Name: "API server fails", Reason: "nothing is concluded about accesses",
			Given: func(s *scene) { s.hasClaim(protected); s.Reject("get bucketaccesses", http.StatusInternalServerError) },
			Want:  failed(),
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
		{Name: "no access", Reason: "the claim can go", Given: func(s *scene) { s.hasClaim(deleting) }},
		{
			Name: "access that was never handed off", Reason: "without the annotation it has no credentials",
			Given: func(s *scene) { s.hasClaim(deleting); s.hasAccess() },
		},
		{
			Name: "access that was cleaned up", Reason: "it has no credentials any more",
			Given: func(s *scene) { s.hasClaim(deleting); s.hasAccess(cleanedUp) },
		},
		{
			Name: "annotation and access", Reason: "the access keeps the claim",
			Given: func(s *scene) { s.hasClaim(protected, deleting); s.hasAccess() },
			Want:  blocked,
		},
		{
			Name: "annotation only", Reason: "removing it is up to unprotect, or to a user",
			Given: func(s *scene) { s.hasClaim(protected, deleting) },
			Want:  blocked,
		},
		{
			Name: "annotation removed by hand", Reason: "the access has credentials",
			Given: func(s *scene) { s.hasClaim(deleting); s.hasAccess(handedOff) },
			Want:  blocked,
		},
		{
			Name: "access that the cache does not have", Reason: "the API server has it, and it has credentials",
			Given: func(s *scene) { s.hasClaim(deleting); s.Behind(func() { s.hasAccess(handedOff) }) },
			Want:  blocked,
		},
		{
			Name: "hand-off that the cache does not have", Reason: "the API server has it, and the access has credentials",
			Given: func(s *scene) {
				s.hasClaim(deleting)
				s.hasAccess(func(access *v1alpha2.BucketAccess) {
					access.Finalizers = []string{v1alpha2.ProtectionFinalizer}
				})
				s.Behind(func() {
					access := &v1alpha2.BucketAccess{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: "app"}}
					s.ModifyStatus(access, func() { handedOff(access) })
				})
			},
			Want: blocked,
		},
		{
			Name: "API server fails", Reason: "the release cannot be undone",
			Given: func(s *scene) { s.hasClaim(deleting); s.Reject("get bucketaccesses", http.StatusInternalServerError) },
			Want:  failed(),
		},
	}, (*attempt).awaitAccesses)
}

// TestDescribe: the message about a blocked deletion has limited length.
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
