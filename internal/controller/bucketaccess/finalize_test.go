package bucketaccess

import (
	"net/http"
	"testing"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

func TestReleaseClaims(t *testing.T) {
	t.Parallel()
	const (
		unprotects    = "patch bucketclaims photos (resourceVersion)"
		isUnprotected = "BucketClaim photos: metadata.annotations.objectstorage.k8s.io/has-bucketaccess-references is removed"
	)
	released := phasetest.Outcome{Writes: []string{unprotects}, Changes: []string{isUnprotected}}
	runTable(t, []phaseCase{
		{
			name: "protected claim", reason: "no access needs it any more",
			given: func(s *scene) { s.hasClaim("photos", protected); s.hasAccess(going) },
			want:  released,
		},
		{name: "claim", reason: "nothing is to be done", given: func(s *scene) { s.hasClaim("photos"); s.hasAccess(going) }},
		{name: "claim gone", reason: "nothing is to be done", given: func(s *scene) { s.hasAccess(going) }},
		{
			name: "another access", reason: "it needs the claim",
			given: func(s *scene) {
				s.hasClaim("photos", protected)
				s.Make(s.accessTo("other", "photos"))
				s.hasAccess(going)
			},
		},
		{
			name: "another access that the cache does not have", reason: "its credentials would outlive the protection",
			given: func(s *scene) {
				claim := s.hasClaim("photos", protected)
				s.hasAccess(going)
				s.Behind(func() {
					other := s.accessTo("other", "photos")
					handedOff(claim)(other)
					s.Make(other)
				})
			},
		},
		{
			name: "hand-off that the cache does not have", reason: "the sidecar has credentials made for the claim",
			given: func(s *scene) {
				claim := s.hasClaim("photos", protected)
				s.hasAccess(going)
				s.Behind(func() { s.ModifyStatus(s.access, func() { handedOff(claim)(s.access) }) })
			},
		},
		{
			name: "one of two claims gone", reason: "the other is released",
			given: func(s *scene) { s.hasClaim("photos", protected); s.hasAccess(alsoTo("videos"), going) },
			want:  released,
		},
		{
			name: "claim changed meanwhile", reason: "an access may have come to need it",
			given: func(s *scene) {
				claim := s.hasClaim("photos", protected)
				s.hasAccess(going)
				s.Before("patch bucketclaims", func() { s.label(claim) })
			},
			want: phasetest.Retried("Conflict", unprotects+": Conflict"),
		},
		{
			name: "API server fails", reason: "the access stays until its claims are released",
			given: func(s *scene) {
				s.hasClaim("photos", protected)
				s.hasAccess(going)
				s.Reject("patch bucketclaims", http.StatusInternalServerError)
			},
			want: failed(unprotects + ": Internal Server Error"),
		},
	}, (*attempt).releaseClaims)
}

func TestRemoveFinalizer(t *testing.T) {
	t.Parallel()
	runTable(t, []phaseCase{
		{
			name: "ours only", reason: "the access vanishes, and its status is not written",
			given: func(s *scene) { s.hasAccess(going) },
			want:  phasetest.Outcome{Writes: []string{accessPatch}, Changes: []string{"BucketAccess app is gone"}},
		},
		{
			name: "another component's", reason: "it stays",
			given: func(s *scene) { s.hasAccess(audited, going) },
			want: phasetest.Outcome{
				Writes: []string{accessPatch}, Changes: []string{`BucketAccess app: metadata.finalizers=["example.com/audit"]`},
			},
		},
		{
			name: "hand-off that the cache does not have", reason: "nothing would be left that says what to revoke",
			given: func(s *scene) {
				claim := s.hasClaim("photos", protected)
				s.hasAccess(going)
				s.Behind(func() { s.ModifyStatus(s.access, func() { handedOff(claim)(s.access) }) })
			},
			want: phasetest.Retried("Conflict", accessPatch+": Conflict"),
		},
		{
			name: "gone meanwhile", reason: "nothing is left to release",
			given: func(s *scene) { s.hasAccess(going); s.Behind(func() { s.ForceRemove(s.access) }) },
			want:  phasetest.Retried("NotFound", accessPatch+": Not Found"),
		},
		{
			name: "API server fails", reason: "it is tried again",
			given: func(s *scene) { s.hasAccess(going); s.Reject("patch bucketaccesses", http.StatusInternalServerError) },
			want:  failed(accessPatch + ": Internal Server Error"),
		},
		{
			name: "access of the sidecar", reason: "the controller leaves it alone until the sidecar has cleaned up",
			given: func(s *scene) { s.hasAccess(handedOff(s.hasClaim("photos", protected)), going) },
		},
		{
			name: "access that the sidecar has cleaned up", reason: "no credentials are left",
			given: func(s *scene) {
				s.hasAccess(handedOff(s.hasClaim("photos", protected)), going, func(access *v1alpha2.BucketAccess) {
					access.Annotations = map[string]string{v1alpha2.SidecarCleanupFinishedAnnotation: ""}
				})
			},
			want: phasetest.Outcome{Writes: []string{accessPatch}, Changes: []string{"BucketAccess app is gone"}},
		},
	}, (*attempt).removeFinalizer)
}
