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
		{name: "claim", reason: "it can be used", given: func(s *scene) { s.hasClaim("photos"); s.hasAccess() }},
		{name: "no claim", reason: "an access without a class is told about its class first", given: func(s *scene) { s.hasAccess() }},
		{
			name: "deleting claim", reason: "an access that waits for its class must not keep a claim that a user has deleted",
			given: func(s *scene) { s.hasClaim("photos", leaving); s.hasAccess() },
			want:  invalid(v1alpha2.ReasonBucketClaimDeleting),
		},
		{
			name: "second claim deleting", reason: "all of them are needed",
			given: func(s *scene) { s.hasClaim("photos"); s.hasClaim("videos", leaving); s.hasAccess(alsoTo("videos")) },
			want:  invalid(v1alpha2.ReasonBucketClaimDeleting),
		},
	}, (*attempt).findClaims)
}

func TestAwaitClaims(t *testing.T) {
	t.Parallel()
	runTable(t, []phaseCase{
		{name: "claim", reason: "nothing is waited for", given: func(s *scene) { s.hasClaim("photos"); s.hasAccess() }},
		{
			name: "no claim", reason: "the access waits for it",
			given: func(s *scene) { s.hasAccess() },
			want:  waiting(v1alpha2.ReasonBucketClaimNotFound),
		},
		{
			name: "one of two claims", reason: "all of them are needed",
			given: func(s *scene) { s.hasClaim("photos"); s.hasAccess(alsoTo("videos")) },
			want:  waiting(v1alpha2.ReasonBucketClaimNotFound),
		},
	}, (*attempt).findClaims, (*attempt).awaitClaims)
}

func TestProtectClaims(t *testing.T) {
	t.Parallel()
	runTable(t, []phaseCase{
		{
			name: "claim", reason: "it is annotated, which blocks its deletion",
			given: func(s *scene) { s.hasClaim("photos"); s.hasAccess() },
			want:  phasetest.Outcome{Writes: []string{protects}, Changes: []string{isProtected}},
		},
		{
			name: "protected claim", reason: "nothing is to be done",
			given: func(s *scene) { s.hasClaim("photos", protected); s.hasAccess() },
		},
		{
			name: "two claims, one of them protected", reason: "only the other is written",
			given: func(s *scene) { s.hasClaim("videos", protected); s.hasClaim("photos"); s.hasAccess(alsoTo("videos")) },
			want:  phasetest.Outcome{Writes: []string{protects}, Changes: []string{isProtected}},
		},
		{
			name: "claim changed meanwhile", reason: "only this controller writes the annotation, so that it does not matter",
			given: func(s *scene) {
				claim := s.hasClaim("photos")
				s.hasAccess()
				s.Behind(func() { s.label(claim) })
			},
			want: phasetest.Outcome{Writes: []string{protects}, Changes: []string{isProtected}},
		},
		{
			name: "claim deleted meanwhile", reason: "the answer of the API server says that the deletion was faster",
			given: func(s *scene) {
				claim := s.hasClaim("photos")
				s.hasAccess()
				s.Behind(func() { s.Remove(claim) })
			},
			want: func() phasetest.Outcome {
				o := invalid(v1alpha2.ReasonBucketClaimDeleting)
				o.Writes, o.Changes = []string{protects, statusPatch}, []string{isProtected}
				return o
			}(),
		},
		{
			name: "claim created again meanwhile", reason: "the new one was not checked",
			given: func(s *scene) {
				claim := s.hasClaim("photos")
				s.hasAccess()
				s.Behind(func() { s.replace(claim) })
			},
			want: phasetest.Retried("Conflict", protects+": Unprocessable Entity"),
		},
		{
			name: "claim gone meanwhile", reason: "the next reconcile waits for it",
			given: func(s *scene) {
				claim := s.hasClaim("photos")
				s.hasAccess()
				s.Behind(func() { s.ForceRemove(claim) })
			},
			want: phasetest.Retried("NotFound", protects+": Not Found"),
		},
		{
			name: "API server fails", reason: "no access relies on a claim that is not protected",
			given: func(s *scene) {
				s.hasClaim("photos")
				s.hasAccess()
				s.Reject("patch bucketclaims", http.StatusInternalServerError)
			},
			want: failed(protects + ": Internal Server Error"),
		},
	}, (*attempt).findClaims, (*attempt).protectClaims)
}

func TestConfirmClaims(t *testing.T) {
	t.Parallel()
	runTable(t, []phaseCase{
		{
			name: "protected claim", reason: "the API server has it as the cache shows it",
			given: func(s *scene) { s.hasClaim("photos", protected); s.hasAccess() },
		},
		{
			name: "claim that was just protected", reason: "the answer has confirmed it, and nothing is read again",
			given: func(s *scene) {
				s.hasClaim("photos")
				s.hasAccess()
				s.Reject("get bucketclaims", http.StatusInternalServerError)
			},
			want: phasetest.Outcome{Writes: []string{protects}, Changes: []string{isProtected}},
		},
		{
			name: "claim deleted meanwhile", reason: "credentials would be made for a bucket that is about to go",
			given: func(s *scene) {
				claim := s.hasClaim("photos", protected)
				s.hasAccess()
				s.Behind(func() { s.Remove(claim) })
			},
			want: invalid(v1alpha2.ReasonBucketClaimDeleting),
		},
		{
			name: "annotation removed meanwhile", reason: "it is set again before the hand-off",
			given: func(s *scene) {
				claim := s.hasClaim("photos", protected)
				s.hasAccess()
				s.Behind(func() { s.Modify(claim, func() { claim.Annotations = nil }) })
			},
			want: phasetest.Outcome{Writes: []string{protects}, Changes: []string{isProtected}},
		},
		{
			name: "claim created again meanwhile", reason: "the Bucket is the earlier one's",
			given: func(s *scene) {
				claim := s.hasClaim("photos", protected)
				s.hasAccess()
				s.Behind(func() { s.replace(claim, protected) })
			},
			want: phasetest.Retried("Conflict"),
		},
		{
			name: "claim gone meanwhile", reason: "the next reconcile waits for it",
			given: func(s *scene) {
				claim := s.hasClaim("photos", protected)
				s.hasAccess()
				s.Behind(func() { s.ForceRemove(claim) })
			},
			want: phasetest.Retried("NotFound"),
		},
		{
			name: "API server fails", reason: "nothing is handed off on the word of the cache",
			given: func(s *scene) {
				s.hasClaim("photos", protected)
				s.hasAccess()
				s.Reject("get bucketclaims", http.StatusInternalServerError)
			},
			want: failed(),
		},
	}, (*attempt).findClaims, (*attempt).protectClaims, (*attempt).confirmClaims)
}

func TestClearRejection(t *testing.T) {
	t.Parallel()
	runTable(t, []phaseCase{
		{name: "not rejected", reason: "nothing is to be done", given: func(s *scene) { s.hasAccess() }},
		{
			name: "rejected", reason: "a rejected access does not count as one that needs its claims",
			given: func(s *scene) { s.hasAccess(rejected) },
			want:  phasetest.Outcome{Writes: []string{statusPatch}, Conditions: []string{"ResourcesValidated=Unknown Pending"}},
		},
		{
			name: "access changed meanwhile", reason: "the conditions are a list",
			given: func(s *scene) { s.hasAccess(rejected); s.Behind(func() { s.label(s.access) }) },
			want:  phasetest.Retried("Conflict", statusPatch+": Conflict"),
		},
		{
			name: "API server fails", reason: "no claim is protected before",
			given: func(s *scene) {
				s.hasAccess(rejected)
				s.Reject("patch bucketaccesses/status", http.StatusInternalServerError)
			},
			want: failed(statusPatch + ": Internal Server Error"),
		},
	}, (*attempt).clearRejection)
}
