package bucketclaim

import (
	"net/http"
	"testing"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2" // for the reasons, which are those of both versions
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
			name: "free Bucket", reason: "it gets a reference to the claim, and then the claim names it",
			given: func(s *scene) { s.hasClaim(s.ofExisting); s.hasBucket(free) },
			want: phasetest.Outcome{
				Writes: []string{bucketPatch, statusPatch},
				Changes: []string{
					"Bucket brown: spec.bucketClaim.apiVersion=objectstorage.k8s.io/v1alpha1",
					"Bucket brown: spec.bucketClaim.kind=BucketClaim",
					"Bucket brown: spec.bucketClaim.name=photos",
					"Bucket brown: spec.bucketClaim.namespace=ns",
					hasUID, isBound, unready,
				},
				Events: []string{saysBound},
			},
		},
		{
			name: "Bucket for the claim", reason: "only the UID is missing",
			given: func(s *scene) { s.hasClaim(s.ofExisting); s.hasBucket(unbound) },
			want: phasetest.Outcome{
				Writes: []string{bucketPatch, statusPatch}, Changes: []string{hasUID, isBound, unready}, Events: []string{saysBound},
			},
		},
		{
			name: "Bucket of an interrupted reconcile", reason: "only the claim's side is missing",
			given: func(s *scene) { s.hasClaim(s.ofExisting); s.hasBucket() },
			want:  phasetest.Outcome{Writes: []string{statusPatch}, Changes: []string{isBound, unready}, Events: []string{saysBound}},
		},
		{
			name: "no Bucket", reason: "the claim waits for it",
			given: func(s *scene) { s.hasClaim(s.ofExisting) },
			want:  waiting("Waiting", v1alpha2.ReasonBucketNotFound),
		},
		{
			name: "Bucket of an earlier claim", reason: "its data is another user's",
			given: func(s *scene) { s.hasClaim(s.ofExisting); s.hasBucket(ofOther) },
			want:  found("Invalid", v1alpha2.ReasonBindingConflict),
		},
		{
			name: "Bucket for another claim", reason: "the administrator has named whom it is for",
			given: func(s *scene) {
				s.hasClaim(s.ofExisting)
				s.hasBucket(unbound, func(b *v1alpha1.Bucket) { b.Spec.BucketClaim.Name = "videos" })
			},
			want: found("Invalid", v1alpha2.ReasonBindingConflict),
		},
		{
			name: "deleting Bucket", reason: "it would not stay",
			given: func(s *scene) { s.hasClaim(s.ofExisting); s.hasBucket(free, going) },
			want:  found("Invalid", v1alpha2.ReasonBucketDeleting),
		},
		{
			name: "protocol that the Bucket lacks", reason: "the application cannot use it, and another claim can",
			given: func(s *scene) { s.hasClaim(s.ofExisting); s.hasBucket(free, forAzure) },
			want:  found("Invalid", v1alpha2.ReasonProtocolNotSupported),
		},
		{
			name: "bound by another claim meanwhile", reason: "the lock decides between two claims",
			given: func(s *scene) {
				s.hasClaim(s.ofExisting)
				s.hasBucket(unbound)
				s.Behind(func() { s.Modify(s.bucket, func() { ofOther(s.bucket) }) })
			},
			want: phasetest.Retried("Conflict", bucketPatch+": Conflict"),
		},
		{
			name: "gone meanwhile", reason: "the next reconcile waits for it",
			given: func(s *scene) {
				s.hasClaim(s.ofExisting)
				s.hasBucket(free)
				s.Behind(func() { s.Remove(s.bucket) })
			},
			want: phasetest.Retried("NotFound", bucketPatch+": Not Found"),
		},
		{
			name: "cache fails", reason: "the user is not told that the Bucket does not exist",
			given: func(s *scene) { s.hasClaim(s.ofExisting); s.hasBucket(free); s.FailReads(&v1alpha1.Bucket{}) },
			want:  phasetest.Retried("Unreadable"),
		},
		{
			name: "API server fails", reason: "the claim does not name a Bucket that is not bound",
			given: func(s *scene) {
				s.hasClaim(s.ofExisting)
				s.hasBucket(free)
				s.Reject("patch buckets", http.StatusInternalServerError)
			},
			want: failed(bucketPatch + serverFailure),
		},
	}, (*attempt).bind)
}
