package bucketclaim

import (
	"net/http"
	"testing"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2" // for the reasons, which both versions share
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

func TestBindExisting(t *testing.T) {
	t.Parallel()
	const (
		isBound = "BucketClaim photos: status.bucketName=brown"
		hasUID  = "Bucket brown: spec.bucketClaim.uid=uid-photos"
	)
	runTable(t, []phaseCase{
		{
			Name: "free Bucket", Reason: "it gets a reference to the claim, and then the claim names it",
			Given: func(s *scene) { s.hasClaim(s.ofExisting); s.hasBucket(free) },
			Want: phasetest.Outcome{
				Writes: []string{bucketPatch, statusPatch},
				Changes: []string{
					"Bucket brown: spec.bucketClaim.apiVersion=objectstorage.k8s.io/v1alpha1",
					"Bucket brown: spec.bucketClaim.kind=BucketClaim",
					"Bucket brown: spec.bucketClaim.name=photos",
					"Bucket brown: spec.bucketClaim.namespace=ns",
					hasUID, isBound, unready,
				},
				Events: []string{recordsBound},
			},
		},
		{
			Name: "Bucket for the claim", Reason: "only the UID is missing",
			Given: func(s *scene) { s.hasClaim(s.ofExisting); s.hasBucket(unbound) },
			Want: phasetest.Outcome{
				Writes: []string{bucketPatch, statusPatch}, Changes: []string{hasUID, isBound, unready}, Events: []string{recordsBound},
			},
		},
		{
			Name: "Bucket of an interrupted reconcile", Reason: "only the claim's side is missing",
			Given: func(s *scene) { s.hasClaim(s.ofExisting); s.hasBucket() },
			Want:  phasetest.Outcome{Writes: []string{statusPatch}, Changes: []string{isBound, unready}, Events: []string{recordsBound}},
		},
		{
			Name: "no Bucket", Reason: "the claim waits for it",
			Given: func(s *scene) { s.hasClaim(s.ofExisting) },
			Want:  waiting("Waiting", v1alpha2.ReasonBucketNotFound),
		},
		{
			Name: "Bucket of an earlier claim", Reason: "its data is another user's",
			Given: func(s *scene) { s.hasClaim(s.ofExisting); s.hasBucket(ofOther) },
			Want:  found("Invalid", v1alpha2.ReasonBindingConflict),
		},
		{
			Name: "Bucket for another claim", Reason: "the administrator has named whom it is for",
			Given: func(s *scene) {
				s.hasClaim(s.ofExisting)
				s.hasBucket(unbound, func(b *v1alpha1.Bucket) { b.Spec.BucketClaim.Name = "videos" })
			},
			Want: found("Invalid", v1alpha2.ReasonBindingConflict),
		},
		{
			Name: "deleting Bucket", Reason: "it would not stay",
			Given: func(s *scene) { s.hasClaim(s.ofExisting); s.hasBucket(free, going) },
			Want:  found("Invalid", v1alpha2.ReasonBucketDeleting),
		},
		{
			Name: "bound by another claim meanwhile", Reason: "the lock decides between two claims",
			Given: func(s *scene) {
				s.hasClaim(s.ofExisting)
				s.hasBucket(unbound)
				s.Behind(func() { s.Modify(s.bucket, func() { ofOther(s.bucket) }) })
			},
			Want: phasetest.Retried("Conflict", bucketPatch+": Conflict"),
		},
		{
			Name: "gone meanwhile", Reason: "the next reconcile waits for it",
			Given: func(s *scene) {
				s.hasClaim(s.ofExisting)
				s.hasBucket(free)
				s.Behind(func() { s.Remove(s.bucket) })
			},
			Want: phasetest.Retried("NotFound", bucketPatch+": Not Found"),
		},
		{
			Name: "cache fails", Reason: "the user is not told that the Bucket does not exist",
			Given: func(s *scene) { s.hasClaim(s.ofExisting); s.hasBucket(free); s.FailReads(&v1alpha1.Bucket{}) },
			Want:  phasetest.Retried("Unreadable"),
		},
		{
			Name: "API server fails", Reason: "the claim does not name a Bucket that is not bound",
			Given: func(s *scene) {
				s.hasClaim(s.ofExisting)
				s.hasBucket(free)
				s.Reject("patch buckets", http.StatusInternalServerError)
			},
			Want: failed(bucketPatch + phasetest.ServerFails),
		},
	}, (*attempt).bind)
}
