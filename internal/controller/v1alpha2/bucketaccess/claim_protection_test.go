package bucketaccess

import (
	"net/http"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/condition"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

func claimMissing(access *v1alpha2.BucketAccess) {
	condition.For(&access.Status.Conditions, 1).Set(v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse,
		v1alpha2.ReasonBucketClaimNotFound, "BucketClaim photos, through which access was granted, does not exist any more; "+
			"the credentials are valid until this BucketAccess is deleted")
}

// hasLostClaim makes a handed-off access whose claim vanished.
func (s *scene) hasLostClaim() {
	s.Helper()
	claim := s.hasClaim("photos")
	s.hasBucket(claim)
	s.hasAccess(handedOff(claim))
	s.ForceRemove(claim)
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
			Name: "protected claim", Reason: "nothing is to be done",
			Given: func(s *scene) {
				claim := s.hasClaim("photos", protected)
				s.hasBucket(claim)
				s.hasAccess(handedOff(claim))
			},
		},
		{
			Name: "granted access", Reason: "only the sidecar writes the status of a granted access",
			Given: func(s *scene) {
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
			Name: "annotation removed by hand", Reason: "the claim must stay, because of the credentials",
			Given: func(s *scene) {
				claim := s.hasClaim("photos")
				s.hasBucket(claim)
				s.hasAccess(handedOff(claim))
			},
			Want: annotated,
		},
		{
			Name: "claim gone", Reason: "the sidecar does not see claims, so the controller reports it",
			Given: (*scene).hasLostClaim,
			Want:  missing,
		},
		{
			Name: "claim gone, and reported", Reason: "nothing is to be done",
			Given: func(s *scene) {
				claim := s.hasClaim("photos")
				s.hasBucket(claim)
				s.hasAccess(handedOff(claim), claimMissing)
				s.ForceRemove(claim)
			},
		},
		{
			Name: "another claim of the name", Reason: "access was not granted through it, and nothing is written to it",
			Given: func(s *scene) {
				claim := s.hasClaim("photos")
				s.hasBucket(claim)
				s.hasAccess(handedOff(claim))
				s.replace(claim)
			},
			Want: missing,
		},
		{
			Name: "claim that was reported as gone", Reason: "only the controller withdraws its own report",
			Given: func(s *scene) {
				claim := s.hasClaim("photos", protected)
				s.hasBucket(claim)
				s.hasAccess(handedOff(claim), claimMissing)
			},
			Want: phasetest.Outcome{Writes: []string{statusPatch}, Conditions: []string{"ResourcesValidated=True Validated"}},
		},
		{
			Name: "Bucket gone", Reason: "it cannot tell which claim is the right one, so the claim is kept",
			Given: func(s *scene) { s.hasAccess(handedOff(s.hasClaim("photos"))) },
			Want:  annotated,
		},
		{
			Name: "Bucket made again", Reason: "it refers to no claim yet, and the controller gives it the reference",
			Given: func(s *scene) {
				claim := s.hasClaim("photos")
				s.hasBucket(claim, func(bucket *v1alpha2.Bucket) { bucket.Spec.BucketClaimRef.UID = "" })
				s.hasAccess(handedOff(claim))
			},
			Want: annotated,
		},
		{
			Name: "claim that the status lacks", Reason: "the sidecar reports that the status is incomplete",
			Given: func(s *scene) {
				claim := s.hasClaim("photos")
				s.hasAccess(handedOff(claim), func(access *v1alpha2.BucketAccess) {
					access.Status.AccessedBuckets[0].BucketClaimName = "videos"
				})
			},
			Want: annotated,
		},
		{
			Name: "one of two claims gone", Reason: "the other is kept, and then the first is reported",
			Given: func(s *scene) {
				claim := s.hasClaim("photos")
				s.hasBucket(claim)
				s.hasAccess(alsoTo("videos"), handedOff(claim))
			},
			Want: func() phasetest.Outcome {
				o := missing
				o.Writes, o.Changes = []string{protects, statusPatch}, []string{isProtected}
				return o
			}(),
		},
		{
			Name: "access changed meanwhile", Reason: "the conditions are a list, of which the sidecar is a writer",
			Given: func(s *scene) {
				s.hasLostClaim()
				s.Before("patch bucketaccesses/status", func() { s.Label(s.access) })
			},
			Want: func() phasetest.Outcome {
				o := missing
				o.Writes = []string{statusPatch + ": Conflict", statusPatch}
				return o
			}(),
		},
		{
			Name: "access that always changes", Reason: "the back-off decides about more requests",
			Given: func(s *scene) {
				s.hasLostClaim()
				s.Reject("patch bucketaccesses/status", http.StatusConflict)
			},
			Want: phasetest.Outcome{Writes: slices.Repeat([]string{statusPatch + ": Conflict"}, 5), Requeue: true},
		},
		{
			Name: "access deleted meanwhile", Reason: "the sidecar cleans it up, and the condition is of no use",
			Given: func(s *scene) {
				s.hasLostClaim()
				s.Before("patch bucketaccesses/status", func() { s.Remove(s.access) })
			},
			Want: phasetest.Outcome{Writes: []string{statusPatch + ": Conflict"}, Err: "done"},
		},
		{
			Name: "claim created again meanwhile", Reason: "nothing is written to the new one",
			Given: func(s *scene) {
				claim := s.hasClaim("photos")
				s.hasBucket(claim)
				s.hasAccess(handedOff(claim))
				s.Behind(func() { s.replace(claim) })
			},
			Want: phasetest.Retried("Conflict", protects+": Unprocessable Entity"),
		},
		{
			Name: "cache fails", Reason: "nothing is written to a claim that may be another one",
			Given: func(s *scene) { s.hasAccess(handedOff(s.hasClaim("photos"))); s.FailReads(&v1alpha2.Bucket{}) },
			Want:  phasetest.Retried("Unreadable"),
		},
		{
			Name: "API server fails", Reason: "it is tried again",
			Given: func(s *scene) {
				s.hasAccess(handedOff(s.hasClaim("photos")))
				s.Reject("patch bucketclaims", http.StatusInternalServerError)
			},
			Want: failed(protects + phasetest.ServerFails),
		},
	}, (*attempt).keepClaims)
}
