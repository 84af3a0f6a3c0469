package bucketaccess

import (
	"net/http"
	"testing"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

func TestFindClaims(t *testing.T) {
	t.Parallel()
	runTable(t, []phaseCase{
		{Name: "claim", Reason: "it can be used", Given: func(s *scene) { s.hasClaim("photos"); s.hasAccess() }},
		{Name: "no claim", Reason: "an access without a class is told about its class first", Given: func(s *scene) { s.hasAccess() }},
		{
			Name: "deleting claim", Reason: "an access that waits for its class must not keep a claim that a user has deleted",
			Given: func(s *scene) { s.hasClaim("photos", leaving); s.hasAccess() },
			Want:  invalid(v1alpha2.ReasonBucketClaimDeleting),
		},
		{
			Name: "second claim deleting", Reason: "all of them are needed",
			Given: func(s *scene) { s.hasClaim("photos"); s.hasClaim("videos", leaving); s.hasAccess(alsoTo("videos")) },
			Want:  invalid(v1alpha2.ReasonBucketClaimDeleting),
		},
	}, (*attempt).findClaims)
}

func TestAwaitClaims(t *testing.T) {
	t.Parallel()
	runTable(t, []phaseCase{
		{Name: "claim", Reason: "nothing is waited for", Given: func(s *scene) { s.hasClaim("photos"); s.hasAccess() }},
		{
			Name: "no claim", Reason: "the access waits for it",
			Given: func(s *scene) { s.hasAccess() },
			Want:  waiting(v1alpha2.ReasonBucketClaimNotFound),
		},
		{
			Name: "one of two claims", Reason: "all of them are needed",
			Given: func(s *scene) { s.hasClaim("photos"); s.hasAccess(alsoTo("videos")) },
			Want:  waiting(v1alpha2.ReasonBucketClaimNotFound),
		},
	}, (*attempt).findClaims, (*attempt).awaitClaims)
}

func TestProtectClaims(t *testing.T) {
	t.Parallel()
	runTable(t, []phaseCase{
		{
			Name: "claim", Reason: "it is annotated, which blocks its deletion",
			Given: func(s *scene) { s.hasClaim("photos"); s.hasAccess() },
			Want:  phasetest.Outcome{Writes: []string{protects}, Changes: []string{isProtected}},
		},
		{
			Name: "protected claim", Reason: "nothing is to be done",
			Given: func(s *scene) { s.hasClaim("photos", protected); s.hasAccess() },
		},
		{
			Name: "two claims, one of them protected", Reason: "only the other is written",
			Given: func(s *scene) { s.hasClaim("videos", protected); s.hasClaim("photos"); s.hasAccess(alsoTo("videos")) },
			Want:  phasetest.Outcome{Writes: []string{protects}, Changes: []string{isProtected}},
		},
		{
			Name: "claim changed meanwhile", Reason: "only this controller writes the annotation, so that it does not matter",
			Given: func(s *scene) {
				claim := s.hasClaim("photos")
				s.hasAccess()
				s.Behind(func() { s.Label(claim) })
			},
			Want: phasetest.Outcome{Writes: []string{protects}, Changes: []string{isProtected}},
		},
		{
			Name: "claim deleted meanwhile", Reason: "the API server answers that the claim is already deleted",
			Given: func(s *scene) {
				claim := s.hasClaim("photos")
				s.hasAccess()
				s.Behind(func() { s.Remove(claim) })
			},
			Want: func() phasetest.Outcome {
				o := invalid(v1alpha2.ReasonBucketClaimDeleting)
				o.Writes, o.Changes = []string{protects, statusPatch}, []string{isProtected}
				return o
			}(),
		},
		{
			Name: "claim created again meanwhile", Reason: "the new one was not checked",
			Given: func(s *scene) {
				claim := s.hasClaim("photos")
				s.hasAccess()
				s.Behind(func() { s.replace(claim) })
			},
			Want: phasetest.Retried("Conflict", protects+": Unprocessable Entity"),
		},
		{
			Name: "claim gone meanwhile", Reason: "the next reconcile waits for it",
			Given: func(s *scene) {
				claim := s.hasClaim("photos")
				s.hasAccess()
				s.Behind(func() { s.ForceRemove(claim) })
			},
			Want: phasetest.Retried("NotFound", protects+": Not Found"),
		},
		{
			Name: "API server fails", Reason: "no access relies on a claim that is not protected",
			Given: func(s *scene) {
				s.hasClaim("photos")
				s.hasAccess()
				s.Reject("patch bucketclaims", http.StatusInternalServerError)
			},
			Want: failed(protects + phasetest.ServerFails),
		},
	}, (*attempt).findClaims, (*attempt).protectClaims)
}

func TestConfirmClaims(t *testing.T) {
	t.Parallel()
	runTable(t, []phaseCase{
		{
			Name: "protected claim", Reason: "the API server has it as the cache shows it",
			Given: func(s *scene) { s.hasClaim("photos", protected); s.hasAccess() },
		},
		{
			Name: "claim that was just protected", Reason: "the answer has confirmed it, and nothing is read again",
			Given: func(s *scene) {
				s.hasClaim("photos")
				s.hasAccess()
				s.Reject("get bucketclaims", http.StatusInternalServerError)
			},
			Want: phasetest.Outcome{Writes: []string{protects}, Changes: []string{isProtected}},
		},
		{
			Name: "claim deleted meanwhile", Reason: "credentials would be made for a bucket that is about to go",
			Given: func(s *scene) {
				claim := s.hasClaim("photos", protected)
				s.hasAccess()
				s.Behind(func() { s.Remove(claim) })
			},
			Want: invalid(v1alpha2.ReasonBucketClaimDeleting),
		},
		{
			Name: "annotation removed meanwhile", Reason: "it is set again before the hand-off",
			Given: func(s *scene) {
				claim := s.hasClaim("photos", protected)
				s.hasAccess()
				s.Behind(func() { s.Modify(claim, func() { claim.Annotations = nil }) })
			},
			Want: phasetest.Outcome{Writes: []string{protects}, Changes: []string{isProtected}},
		},
		{
			Name: "claim created again meanwhile", Reason: "the Bucket is the earlier one's",
			Given: func(s *scene) {
				claim := s.hasClaim("photos", protected)
				s.hasAccess()
				s.Behind(func() { s.replace(claim, protected) })
			},
			Want: phasetest.Retried("Conflict"),
		},
		{
			Name: "claim gone meanwhile", Reason: "the next reconcile waits for it",
			Given: func(s *scene) {
				claim := s.hasClaim("photos", protected)
				s.hasAccess()
				s.Behind(func() { s.ForceRemove(claim) })
			},
			Want: phasetest.Retried("NotFound"),
		},
		{
			Name: "API server fails", Reason: "nothing is handed off on the word of the cache",
			Given: func(s *scene) {
				s.hasClaim("photos", protected)
				s.hasAccess()
				s.Reject("get bucketclaims", http.StatusInternalServerError)
			},
			Want: failed(),
		},
	}, (*attempt).findClaims, (*attempt).protectClaims, (*attempt).confirmClaims)
}

func TestClearRejection(t *testing.T) {
	t.Parallel()
	runTable(t, []phaseCase{
		{Name: "not rejected", Reason: "nothing is to be done", Given: func(s *scene) { s.hasAccess() }},
		{
			Name: "rejected", Reason: "a rejected access does not count as one that needs its claims",
			Given: func(s *scene) { s.hasAccess(rejected) },
			Want:  phasetest.Outcome{Writes: []string{statusPatch}, Conditions: []string{"ResourcesValidated=Unknown Pending"}},
		},
		{
			Name: "access changed meanwhile", Reason: "the conditions are a list",
			Given: func(s *scene) { s.hasAccess(rejected); s.Behind(func() { s.Label(s.access) }) },
			Want:  phasetest.Retried("Conflict", statusPatch+": Conflict"),
		},
		{
			Name: "API server fails", Reason: "no claim is protected before",
			Given: func(s *scene) {
				s.hasAccess(rejected)
				s.Reject("patch bucketaccesses/status", http.StatusInternalServerError)
			},
			Want: failed(statusPatch + phasetest.ServerFails),
		},
	}, (*attempt).clearRejection)
}
