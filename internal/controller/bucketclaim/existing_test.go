package bucketclaim

import (
	"net/http"
	"testing"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

const bucketPatch = "patch buckets brown (resourceVersion)"

func TestBindExisting(t *testing.T) {
	t.Parallel()
	const isBound = "BucketClaim photos: status.boundBucketName=brown"
	runTable(t, []phaseCase{
		{
			name: "free Bucket", reason: "it gets the claim's UID, and then the claim names it",
			given: func(s *scene) { s.hasClaim(s.ofExisting); s.hasBucket(unbound) },
			want: phasetest.Outcome{
				Writes:  []string{bucketPatch, statusPatch},
				Changes: []string{"Bucket brown: spec.bucketClaimRef.uid=uid-photos", isBound},
				Events:  []string{saysBound},
			},
		},
		{
			name: "Bucket of an interrupted reconcile", reason: "only the claim's side is missing",
			given: func(s *scene) { s.hasClaim(s.ofExisting); s.hasBucket() },
			want:  phasetest.Outcome{Writes: []string{statusPatch}, Changes: []string{isBound}, Events: []string{saysBound}},
		},
		{
			name: "no Bucket", reason: "the claim waits for it",
			given: func(s *scene) { s.hasClaim(s.ofExisting) },
			want: phasetest.Outcome{
				Writes: []string{statusPatch}, Err: "Waiting BucketNotFound",
				Conditions: []string{"Provisioned=Unknown BucketNotFound", "ResourcesValidated=Unknown BucketNotFound"},
				Events:     []string{"Normal BucketNotFound of BucketClaim photos"},
			},
		},
		{
			name: "Bucket of an earlier claim", reason: "its UID is immutable",
			given: func(s *scene) { s.hasClaim(s.ofExisting); s.hasBucket(ofOther) },
			want:  invalid(v1alpha2.ReasonBindingConflict),
		},
		{
			name: "Bucket for another claim", reason: "the administrator has named whom it is for",
			given: func(s *scene) {
				s.hasClaim(s.ofExisting)
				s.hasBucket(unbound, func(b *v1alpha2.Bucket) { b.Spec.BucketClaimRef.Name = "videos" })
			},
			want: invalid(v1alpha2.ReasonBindingConflict),
		},
		{
			name: "Bucket for a claim of another namespace", reason: "the administrator has named whom it is for",
			given: func(s *scene) {
				s.hasClaim(s.ofExisting)
				s.hasBucket(unbound, func(b *v1alpha2.Bucket) { b.Spec.BucketClaimRef.Namespace = "elsewhere" })
			},
			want: invalid(v1alpha2.ReasonBindingConflict),
		},
		{
			name: "policy Delete", reason: "COSI must not delete what it did not create",
			given: func(s *scene) { s.hasClaim(s.ofExisting); s.hasBucket(unbound, deleted) },
			want:  invalid(v1alpha2.ReasonDeletionPolicyNotAllowed),
		},
		{
			name: "deleting Bucket", reason: "it would not stay",
			given: func(s *scene) { s.hasClaim(s.ofExisting); s.hasBucket(unbound, going) },
			want:  invalid(v1alpha2.ReasonBucketDeleting),
		},
		{
			name: "deleting Bucket that is bound", reason: "the claim names it, and syncStatus says what happens to it",
			given: func(s *scene) { s.hasClaim(s.ofExisting); s.hasBucket(going) },
			want:  phasetest.Outcome{Writes: []string{statusPatch}, Changes: []string{isBound}, Events: []string{saysBound}},
		},
		{
			name: "no existingBucketID", reason: "it would be a new and empty bucket",
			given: func(s *scene) {
				s.hasClaim(s.ofExisting)
				s.hasBucket(unbound, func(b *v1alpha2.Bucket) { b.Spec.ExistingBucketID = "" })
			},
			want: invalid(v1alpha2.ReasonInvalidSpec),
		},
		{
			name: "bound by another claim meanwhile", reason: "the lock decides between two claims",
			given: func(s *scene) {
				s.hasClaim(s.ofExisting)
				s.hasBucket(unbound)
				s.Behind(func() { s.Modify(s.bucket, func() { s.bucket.Spec.BucketClaimRef.UID = otherUID }) })
			},
			want: phasetest.Retried("Conflict", bucketPatch+": Conflict"),
		},
		{
			name: "created again meanwhile", reason: "the lock keeps the claim from another Bucket of the name",
			given: func(s *scene) {
				s.hasClaim(s.ofExisting)
				s.hasBucket(unbound)
				s.Behind(func() { s.Remove(s.bucket); s.hasBucket(unbound) })
			},
			want: phasetest.Retried("Conflict", bucketPatch+": Conflict"),
		},
		{
			name: "gone meanwhile", reason: "the next reconcile waits for it",
			given: func(s *scene) {
				s.hasClaim(s.ofExisting)
				s.hasBucket(unbound)
				s.Behind(func() { s.Remove(s.bucket) })
			},
			want: phasetest.Retried("NotFound", bucketPatch+": Not Found"),
		},
		{
			name: "UID that the API server rejects", reason: "another claim has bound the Bucket, which the cache does not show",
			given: func(s *scene) {
				s.hasClaim(s.ofExisting)
				s.hasBucket(unbound)
				s.Reject("patch buckets", http.StatusUnprocessableEntity)
			},
			want: phasetest.Retried("Conflict", bucketPatch+": Unprocessable Entity"),
		},
		{
			name: "cache fails", reason: "the user is not told that the Bucket does not exist",
			given: func(s *scene) { s.hasClaim(s.ofExisting); s.hasBucket(unbound); s.FailReads(&v1alpha2.Bucket{}) },
			want:  phasetest.Retried("Unreadable"),
		},
		{
			name: "API server fails", reason: "the claim does not name a Bucket that is not bound",
			given: func(s *scene) {
				s.hasClaim(s.ofExisting)
				s.hasBucket(unbound)
				s.Reject("patch buckets", http.StatusInternalServerError)
			},
			want: failed(bucketPatch + ": Internal Server Error"),
		},
	}, (*attempt).bind)
}
