package bucketclaim

import (
	"net/http"
	"testing"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2" // for the reasons, which are those of both versions
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

func TestAddFinalizer(t *testing.T) {
	t.Parallel()
	runTable(t, []phaseCase{
		{
			name: "new claim", reason: "nothing that would outlive it exists yet",
			given: func(s *scene) { s.hasClaim(withoutFinalizer) },
			want: phasetest.Outcome{
				Writes:  []string{claimPatch},
				Changes: []string{`BucketClaim photos: metadata.finalizers=["cosi.objectstorage.k8s.io/bucketclaim-protection"]`},
			},
		},
		{name: "finalizer", reason: "nothing is to be done", given: func(s *scene) { s.hasClaim() }},
		{
			name: "changed meanwhile", reason: "finalizers are a list: the patch would drop what another writer has added",
			given: func(s *scene) {
				s.hasClaim(withoutFinalizer)
				s.Behind(func() { s.Modify(s.claim, func() { audited(s.claim) }) })
			},
			want: phasetest.Retried("Conflict", claimPatch+": Conflict"),
		},
		{
			name: "gone meanwhile", reason: "there is nothing to keep",
			given: func(s *scene) { s.hasClaim(withoutFinalizer); s.Behind(func() { s.Remove(s.claim) }) },
			want:  phasetest.Retried("NotFound", claimPatch+": Not Found"),
		},
		{
			name: "API server fails", reason: "no phase comes after it",
			given: func(s *scene) {
				s.hasClaim(withoutFinalizer)
				s.Reject("patch bucketclaims", http.StatusInternalServerError)
			},
			want: failed(claimPatch + serverFailure),
		},
	}, (*attempt).addFinalizer)
}

// TestReconcile: the order of the phases, by their writes.
func TestReconcile(t *testing.T) {
	t.Parallel()
	runTable(t, []phaseCase{
		{
			name: "new claim", reason: "the finalizer comes before what would outlive the claim",
			given: func(s *scene) { s.hasClaim(withoutFinalizer); s.hasBucket(readyBucket) },
			want: phasetest.Outcome{
				Writes: []string{claimPatch, statusPatch},
				Changes: []string{
					`BucketClaim photos: metadata.finalizers=["cosi.objectstorage.k8s.io/bucketclaim-protection"]`,
					"BucketClaim photos: status.bucketName=bucket-uid-photos",
					"BucketClaim photos: status.bucketReady=true",
				},
				Events: []string{saysBound, "Normal Provisioned of BucketClaim photos"},
			},
		},
		{
			name: "settled claim", reason: "nothing is written",
			given: func(s *scene) { s.hasClaim(ready); s.bind(); s.hasBucket(readyBucket) },
		},
		{
			name: "impossible spec", reason: "such a claim gets no finalizer",
			given: func(s *scene) {
				s.hasClaim(withoutFinalizer, func(claim *v1alpha1.BucketClaim) { claim.Spec.BucketClassName = "" })
			},
			want: found("Invalid", v1alpha2.ReasonInvalidSpec),
		},
		{
			name: "deleting claim", reason: "it is released when its Bucket is gone",
			given: func(s *scene) { s.hasClaim(deleting); s.hasBucket() },
			want: phasetest.Outcome{
				Writes: []string{deletes, claimPatch}, Changes: []string{isGone, "BucketClaim photos is gone"},
			},
		},
		{
			name: "deleting claim in use", reason: "its Bucket is not touched",
			given: func(s *scene) { s.hasClaim(deleting); s.hasAccess(); s.hasBucket() },
			want:  waiting("Blocked", v1alpha2.ReasonDeletionBlocked),
		},
		{
			name: "claim that was released", reason: "it may have vanished, and nothing is written",
			given: func(s *scene) { s.hasClaim(withoutFinalizer, audited, deleting); s.hasBucket(kept) },
		},
	})
}
