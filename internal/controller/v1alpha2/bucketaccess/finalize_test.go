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
			Name: "protected claim", Reason: "no access needs it any more",
			Given: func(s *scene) { s.hasClaim("photos", protected); s.hasAccess(going) },
			Want:  released,
		},
		{Name: "claim", Reason: "nothing is to be done", Given: func(s *scene) { s.hasClaim("photos"); s.hasAccess(going) }},
		{Name: "claim gone", Reason: "nothing is to be done", Given: func(s *scene) { s.hasAccess(going) }},
		{
			Name: "another access", Reason: "it needs the claim",
			Given: func(s *scene) {
				s.hasClaim("photos", protected)
				s.Make(s.accessTo("other", "photos"))
				s.hasAccess(going)
			},
		},
		{
			Name: "another access that the cache does not have", Reason: "its credentials would outlive the protection",
			Given: func(s *scene) {
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
			Name: "hand-off that the cache does not have", Reason: "the sidecar has credentials made for the claim",
			Given: func(s *scene) {
				claim := s.hasClaim("photos", protected)
				s.hasAccess(going)
				s.Behind(func() { s.ModifyStatus(s.access, func() { handedOff(claim)(s.access) }) })
			},
		},
		{
			Name: "one of two claims gone", Reason: "the other is released",
			Given: func(s *scene) { s.hasClaim("photos", protected); s.hasAccess(alsoTo("videos"), going) },
			Want:  released,
		},
		{
			Name: "claim changed meanwhile", Reason: "an access may have come to need it",
			Given: func(s *scene) {
				claim := s.hasClaim("photos", protected)
				s.hasAccess(going)
				s.Before("patch bucketclaims", func() { s.Label(claim) })
			},
			Want: phasetest.Retried("Conflict", unprotects+": Conflict"),
		},
		{
			Name: "API server fails", Reason: "the access stays until its claims are released",
			Given: func(s *scene) {
				s.hasClaim("photos", protected)
				s.hasAccess(going)
				s.Reject("patch bucketclaims", http.StatusInternalServerError)
			},
			Want: failed(unprotects + phasetest.ServerFails),
		},
	}, (*attempt).releaseClaims)
}

func TestRemoveFinalizer(t *testing.T) {
	t.Parallel()
	runTable(t, []phaseCase{
		{
			Name: "ours only", Reason: "the access vanishes, and its status is not written",
			Given: func(s *scene) { s.hasAccess(going) },
			Want:  phasetest.Outcome{Writes: []string{accessPatch}, Changes: []string{"BucketAccess app is gone"}},
		},
		{
			Name: "another component's", Reason: "it stays",
			Given: func(s *scene) { s.hasAccess(audited, going) },
			Want: phasetest.Outcome{
				Writes: []string{accessPatch}, Changes: []string{`BucketAccess app: metadata.finalizers=["example.com/audit"]`},
			},
		},
		{
			Name: "hand-off that the cache does not have", Reason: "the account to revoke would be unknown",
			Given: func(s *scene) {
				claim := s.hasClaim("photos", protected)
				s.hasAccess(going)
				s.Behind(func() { s.ModifyStatus(s.access, func() { handedOff(claim)(s.access) }) })
			},
			Want: phasetest.Retried("Conflict", accessPatch+": Conflict"),
		},
		{
			Name: "gone meanwhile", Reason: "nothing is left to release",
			Given: func(s *scene) { s.hasAccess(going); s.Behind(func() { s.ForceRemove(s.access) }) },
			Want:  phasetest.Retried("NotFound", accessPatch+": Not Found"),
		},
		{
			Name: "API server fails", Reason: "it is tried again",
			Given: func(s *scene) { s.hasAccess(going); s.Reject("patch bucketaccesses", http.StatusInternalServerError) },
			Want:  failed(accessPatch + phasetest.ServerFails),
		},
		{
			Name: "access of the sidecar", Reason: "the controller leaves it alone until the sidecar has cleaned up",
			Given: func(s *scene) { s.hasAccess(handedOff(s.hasClaim("photos", protected)), going) },
		},
		{
			Name: "access that the sidecar has cleaned up", Reason: "no credentials are left",
			Given: func(s *scene) {
				s.hasAccess(handedOff(s.hasClaim("photos", protected)), going, func(access *v1alpha2.BucketAccess) {
					access.Annotations = map[string]string{v1alpha2.SidecarCleanupFinishedAnnotation: ""}
				})
			},
			Want: phasetest.Outcome{Writes: []string{accessPatch}, Changes: []string{"BucketAccess app is gone"}},
		},
	}, (*attempt).removeFinalizer)
}
