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
			Name: "free Bucket", Reason: "it gets the claim's UID, and then the claim names it",
			Given: func(s *scene) { s.hasClaim(s.ofExisting); s.hasBucket(unbound) },
			Want: phasetest.Outcome{
				Writes:  []string{bucketPatch, statusPatch},
				Changes: []string{"Bucket brown: spec.bucketClaimRef.uid=uid-photos", isBound},
				Events:  []string{recordsBound},
			},
		},
		{
			Name: "Bucket of an interrupted reconcile", Reason: "only the claim's side is missing",
			Given: func(s *scene) { s.hasClaim(s.ofExisting); s.hasBucket() },
			Want:  phasetest.Outcome{Writes: []string{statusPatch}, Changes: []string{isBound}, Events: []string{recordsBound}},
		},
		{
			Name: "no Bucket", Reason: "the claim waits for it",
			Given: func(s *scene) { s.hasClaim(s.ofExisting) },
			Want: phasetest.Outcome{
				Writes: []string{statusPatch}, Err: "Waiting BucketNotFound",
				Conditions: []string{"Provisioned=Unknown BucketNotFound", "ResourcesValidated=Unknown BucketNotFound"},
				Events:     []string{"Normal BucketNotFound of BucketClaim photos"},
			},
		},
		{
			Name: "Bucket of an earlier claim", Reason: "its UID is immutable",
			Given: func(s *scene) { s.hasClaim(s.ofExisting); s.hasBucket(ofOther) },
			Want:  invalid(v1alpha2.ReasonBindingConflict),
		},
		{
			Name: "Bucket for another claim", Reason: "the administrator has named whom it is for",
			Given: func(s *scene) {
				s.hasClaim(s.ofExisting)
				s.hasBucket(unbound, func(b *v1alpha2.Bucket) { b.Spec.BucketClaimRef.Name = "videos" })
			},
			Want: invalid(v1alpha2.ReasonBindingConflict),
		},
		{
			Name: "Bucket for a claim of another namespace", Reason: "the administrator has named whom it is for",
			Given: func(s *scene) {
				s.hasClaim(s.ofExisting)
				s.hasBucket(unbound, func(b *v1alpha2.Bucket) { b.Spec.BucketClaimRef.Namespace = "elsewhere" })
			},
			Want: invalid(v1alpha2.ReasonBindingConflict),
		},
		{
			Name: "policy Delete", Reason: "COSI must not delete a bucket that it did not create",
			Given: func(s *scene) { s.hasClaim(s.ofExisting); s.hasBucket(unbound, deleted) },
			Want:  invalid(v1alpha2.ReasonDeletionPolicyNotAllowed),
		},
		{
			Name: "deleting Bucket", Reason: "it would not stay",
			Given: func(s *scene) { s.hasClaim(s.ofExisting); s.hasBucket(unbound, going) },
			Want:  invalid(v1alpha2.ReasonBucketDeleting),
		},
		{
			Name: "deleting Bucket that is bound", Reason: "the claim names it, and syncStatus handles the deletion",
			Given: func(s *scene) { s.hasClaim(s.ofExisting); s.hasBucket(going) },
			Want:  phasetest.Outcome{Writes: []string{statusPatch}, Changes: []string{isBound}, Events: []string{recordsBound}},
		},
		{
			Name: "no existingBucketID", Reason: "it would be a new and empty bucket",
			Given: func(s *scene) {
				s.hasClaim(s.ofExisting)
				s.hasBucket(unbound, func(b *v1alpha2.Bucket) { b.Spec.ExistingBucketID = "" })
			},
			Want: invalid(v1alpha2.ReasonInvalidSpec),
		},
		{
			Name: "bound by another claim meanwhile", Reason: "the lock decides between two claims",
			Given: func(s *scene) {
				s.hasClaim(s.ofExisting)
				s.hasBucket(unbound)
				s.Behind(func() { s.Modify(s.bucket, func() { s.bucket.Spec.BucketClaimRef.UID = phasetest.OtherUID }) })
			},
			Want: phasetest.Retried("Conflict", bucketPatch+": Conflict"),
		},
		{
			Name: "created again meanwhile", Reason: "the lock keeps the claim from another Bucket of the name",
			Given: func(s *scene) {
				s.hasClaim(s.ofExisting)
				s.hasBucket(unbound)
				s.Behind(func() { s.Remove(s.bucket); s.hasBucket(unbound) })
			},
			Want: phasetest.Retried("Conflict", bucketPatch+": Conflict"),
		},
		{
			Name: "gone meanwhile", Reason: "the next reconcile waits for it",
			Given: func(s *scene) {
				s.hasClaim(s.ofExisting)
				s.hasBucket(unbound)
				s.Behind(func() { s.Remove(s.bucket) })
			},
			Want: phasetest.Retried("NotFound", bucketPatch+": Not Found"),
		},
		{
			Name: "API server rejects the Bucket", Reason: "a policy of the cluster does, and the user is told",
			Given: func(s *scene) {
				s.hasClaim(s.ofExisting)
				s.hasBucket(unbound)
				s.Reject("patch buckets", http.StatusUnprocessableEntity)
			},
			Want: phasetest.Outcome{
				Writes: []string{bucketPatch + ": Unprocessable Entity"}, Events: []string{"Warning APIError of BucketClaim photos"},
				Err: "Invalid", Requeue: true,
			},
		},
		{
			Name: "cache fails", Reason: "the user is not told that the Bucket does not exist",
			Given: func(s *scene) { s.hasClaim(s.ofExisting); s.hasBucket(unbound); s.FailReads(&v1alpha2.Bucket{}) },
			Want:  phasetest.Retried("Unreadable"),
		},
		{
			Name: "API server fails", Reason: "the claim does not name a Bucket that is not bound",
			Given: func(s *scene) {
				s.hasClaim(s.ofExisting)
				s.hasBucket(unbound)
				s.Reject("patch buckets", http.StatusInternalServerError)
			},
			Want: failed(bucketPatch + phasetest.ServerFails),
		},
	}, (*attempt).bind)
}
