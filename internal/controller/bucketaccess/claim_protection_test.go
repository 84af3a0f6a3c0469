package bucketaccess

import (
	"net/http"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/condition"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

// claimMissing has the status say that a claim does not exist.
func claimMissing(access *v1alpha2.BucketAccess) {
	condition.For(&access.Status.Conditions, 1).Set(v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse,
		v1alpha2.ReasonBucketClaimNotFound, "BucketClaim photos, through which access was granted, does not exist any more; "+
			"the credentials are valid until this BucketAccess is deleted")
}

func TestKeepClaims(t *testing.T) {
	t.Parallel()
	missing := phasetest.Outcome{
		Writes: []string{statusPatch}, Conditions: []string{"ResourcesValidated=False BucketClaimNotFound"},
		Events: []string{"Warning FailedGrantAccess of BucketAccess app"},
	}
	annotated := phasetest.Outcome{Writes: []string{protects}, Changes: []string{isProtected}}
	runTable(t, []phaseCase{
		{
			name: "protected claim", reason: "nothing is to be done",
			given: func(s *scene) {
				claim := s.hasClaim("photos", protected)
				s.hasBucket(claim)
				s.hasAccess(handedOff(claim))
			},
		},
		{
			name: "granted access", reason: "the status is the sidecar's, which alone can say that access is granted",
			given: func(s *scene) {
				claim := s.hasClaim("photos", protected)
				s.hasBucket(claim)
				s.hasAccess(handedOff(claim), func(access *v1alpha2.BucketAccess) {
					access.Status.ReadyToUse = true
					condition.For(&access.Status.Conditions, 1).
						Set(v1alpha2.ConditionProvisioned, metav1.ConditionTrue, v1alpha2.ReasonProvisioned, "m")
				})
			},
		},
		{
			name: "annotation removed by hand", reason: "the claim must stay, because of the credentials",
			given: func(s *scene) {
				claim := s.hasClaim("photos")
				s.hasBucket(claim)
				s.hasAccess(handedOff(claim))
			},
			want: annotated,
		},
		{
			name: "claim gone", reason: "the sidecar does not see claims, so the controller reports it",
			given: func(s *scene) {
				claim := s.hasClaim("photos")
				s.hasBucket(claim)
				s.hasAccess(handedOff(claim))
				s.ForceRemove(claim)
			},
			want: missing,
		},
		{
			name: "claim gone, and reported", reason: "nothing is to be done",
			given: func(s *scene) {
				claim := s.hasClaim("photos")
				s.hasBucket(claim)
				s.hasAccess(handedOff(claim), claimMissing)
				s.ForceRemove(claim)
			},
		},
		{
			name: "another claim of the name", reason: "access was not granted through it, and nothing is written to it",
			given: func(s *scene) {
				claim := s.hasClaim("photos")
				s.hasBucket(claim)
				s.hasAccess(handedOff(claim))
				s.replace(claim)
			},
			want: missing,
		},
		{
			name: "claim that was reported as gone", reason: "only the controller takes back what it has reported",
			given: func(s *scene) {
				claim := s.hasClaim("photos", protected)
				s.hasBucket(claim)
				s.hasAccess(handedOff(claim), claimMissing)
			},
			want: phasetest.Outcome{Writes: []string{statusPatch}, Conditions: []string{"ResourcesValidated=True Validated"}},
		},
		{
			name: "Bucket gone", reason: "it cannot tell which claim is the right one, so the claim is kept",
			given: func(s *scene) { s.hasAccess(handedOff(s.hasClaim("photos"))) },
			want:  annotated,
		},
		{
			name: "claim that the status lacks", reason: "the sidecar reports that the status is incomplete",
			given: func(s *scene) {
				claim := s.hasClaim("photos")
				s.hasAccess(handedOff(claim), func(access *v1alpha2.BucketAccess) {
					access.Status.AccessedBuckets[0].BucketClaimName = "videos"
				})
			},
			want: annotated,
		},
		{
			name: "one of two claims gone", reason: "the other is kept, and then the first is reported",
			given: func(s *scene) {
				claim := s.hasClaim("photos")
				s.hasBucket(claim)
				s.hasAccess(alsoTo("videos"), handedOff(claim))
			},
			want: func() phasetest.Outcome {
				o := missing
				o.Writes, o.Changes = []string{protects, statusPatch}, []string{isProtected}
				return o
			}(),
		},
		{
			name: "access changed meanwhile", reason: "the conditions are a list, of which the sidecar is a writer",
			given: func(s *scene) {
				claim := s.hasClaim("photos")
				s.hasBucket(claim)
				s.hasAccess(handedOff(claim))
				s.ForceRemove(claim)
				s.Before("patch bucketaccesses/status", func() { s.label(s.access) })
			},
			want: phasetest.Outcome{Writes: []string{statusPatch + ": Conflict"}, Requeue: true},
		},
		{
			name: "claim created again meanwhile", reason: "nothing is written to the new one",
			given: func(s *scene) {
				claim := s.hasClaim("photos")
				s.hasBucket(claim)
				s.hasAccess(handedOff(claim))
				s.Behind(func() { s.replace(claim) })
			},
			want: phasetest.Retried("Conflict", protects+": Unprocessable Entity"),
		},
		{
			name: "cache fails", reason: "nothing is written to a claim that may be another one",
			given: func(s *scene) { s.hasAccess(handedOff(s.hasClaim("photos"))); s.FailReads(&v1alpha2.Bucket{}) },
			want:  phasetest.Retried("Unreadable"),
		},
		{
			name: "API server fails", reason: "it is tried again",
			given: func(s *scene) {
				s.hasAccess(handedOff(s.hasClaim("photos")))
				s.Reject("patch bucketclaims", http.StatusInternalServerError)
			},
			want: failed(protects + ": Internal Server Error"),
		},
	}, (*attempt).keepClaims)
}
