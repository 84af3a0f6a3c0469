package bucketclaim

import (
	"net/http"
	"testing"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2" // for the reasons, which both versions share
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

func TestAddFinalizer(t *testing.T) {
	t.Parallel()
	runTable(t, []phaseCase{
		{
			Name: "new claim", Reason: "nothing that would outlive it exists yet",
			Given: func(s *scene) { s.hasClaim(withoutFinalizer) },
			Want: phasetest.Outcome{
				Writes:  []string{claimPatch},
				Changes: []string{`BucketClaim photos: metadata.finalizers=["cosi.objectstorage.k8s.io/bucketclaim-protection"]`},
			},
		},
		{Name: "finalizer", Reason: "nothing is to be done", Given: func(s *scene) { s.hasClaim() }},
		{
			Name: "changed meanwhile", Reason: "finalizers are a list: the patch would drop what another writer has added",
			Given: func(s *scene) {
				s.hasClaim(withoutFinalizer)
				s.Behind(func() { s.Modify(s.claim, func() { audited(s.claim) }) })
			},
			Want: phasetest.Retried("Conflict", claimPatch+": Conflict"),
		},
		{
			Name: "gone meanwhile", Reason: "there is nothing to keep",
			Given: func(s *scene) { s.hasClaim(withoutFinalizer); s.Behind(func() { s.Remove(s.claim) }) },
			Want:  phasetest.Retried("NotFound", claimPatch+": Not Found"),
		},
		{
			Name: "API server fails", Reason: "no phase comes after it",
			Given: func(s *scene) {
				s.hasClaim(withoutFinalizer)
				s.Reject("patch bucketclaims", http.StatusInternalServerError)
			},
			Want: failed(claimPatch + phasetest.ServerFails),
		},
	}, (*attempt).addFinalizer)
}

// Spec: A1-FLOW-1, A1-FLOW-4
func TestReconcile(t *testing.T) {
	t.Parallel()
	runTable(t, []phaseCase{
		{
			Name: "new claim", Reason: "the finalizer comes before what would outlive the claim",
			Given: func(s *scene) { s.hasClaim(withoutFinalizer); s.hasBucket(readyBucket) },
			Want: phasetest.Outcome{
				Writes: []string{claimPatch, statusPatch},
				Changes: []string{
					`BucketClaim photos: metadata.finalizers=["cosi.objectstorage.k8s.io/bucketclaim-protection"]`,
					"BucketClaim photos: status.bucketName=bucket-uid-photos",
					"BucketClaim photos: status.bucketReady=true",
				},
				Events: []string{recordsBound, "Normal Provisioned of BucketClaim photos"},
			},
		},
		{
			Name: "settled claim", Reason: "nothing is written",
			Given: func(s *scene) { s.hasClaim(ready); s.bind(); s.hasBucket(readyBucket) },
		},
		{
			Name: "impossible spec", Reason: "such a claim gets no finalizer",
			Given: func(s *scene) {
				s.hasClaim(withoutFinalizer, func(claim *v1alpha1.BucketClaim) { claim.Spec.BucketClassName = "" })
			},
			Want: found("Invalid", v1alpha2.ReasonInvalidSpec),
		},
		{
			Name: "deleting claim", Reason: "it is released when its Bucket is gone",
			Given: func(s *scene) { s.hasClaim(deleting); s.hasBucket() },
			Want: phasetest.Outcome{
				Writes: []string{deletes, claimPatch}, Changes: []string{isGone, "BucketClaim photos is gone"},
			},
		},
		{
			Name: "deleting claim in use", Reason: "its Bucket is not touched",
			Given: func(s *scene) { s.hasClaim(deleting); s.hasAccess(); s.hasBucket() },
			Want:  waiting("Blocked", v1alpha2.ReasonDeletionBlocked),
		},
		{
			Name: "claim that was released", Reason: "it may have vanished, and nothing is written",
			Given: func(s *scene) { s.hasClaim(withoutFinalizer, audited, deleting); s.hasBucket(kept) },
		},
	})
}
