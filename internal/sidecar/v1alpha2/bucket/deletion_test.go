package bucket

import (
	"net/http"
	"testing"

	"google.golang.org/grpc/codes"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

func (s *scene) hasDoomed(edits ...func(*v1alpha2.Bucket)) {
	s.Helper()
	s.hasBucket(append([]func(*v1alpha2.Bucket){provisioned, announced, deleting, unready}, edits...)...)
}

// TestDeleteBucket: the driver deletes the bucket if the current policy is Delete.
// KEP: FLOW-DELETE-3.4
// Known failure: E91
func TestDeleteBucket(t *testing.T) {
	t.Parallel()
	deleted := phasetest.Outcome{Writes: []string{deletes}}
	fails := func(code codes.Code) func(*scene) {
		return func(s *scene) { s.hasDoomed(); s.driver.Fail("DriverDeleteBucket", code, "no") }
	}
	retries := func(code string) phasetest.Outcome {
		return phasetest.Outcome{
			Writes: []string{deletes + ": " + code, statusPatch}, Conditions: []string{"ProvisionFailed=True DriverError"},
			Events: []string{"Warning FailedDeleteBucket of Bucket b"}, Err: "Failed DriverError", Requeue: true,
		}
	}
	runTable(t, []phaseCase{
		{Name: "policy Delete", Reason: "the driver deletes the bucket", Given: func(s *scene) { s.hasDoomed() }, Want: deleted},
		{Name: "policy Retain", Reason: "the bucket stays", Given: func(s *scene) { s.hasDoomed(retained) }},
		{
			Name: "no ID", Reason: "nothing was ever created",
			Given: func(s *scene) { s.hasBucket(announced, deleting) },
		},
		{
			Name: "ID that was never provisioned", Reason: "the driver may have created the bucket before a crash",
			Given: func(s *scene) { s.hasBucket(identified, announced, deleting) }, Want: deleted,
		},
		{
			Name: "existing bucket", Reason: "COSI must not delete a bucket that it did not create",
			Given: func(s *scene) {
				s.hasDoomed(s.static, doomed, func(b *v1alpha2.Bucket) { b.Status.BucketID = b.Spec.ExistingBucketID })
			},
			Want: phasetest.Outcome{
				Writes: []string{statusPatch}, Conditions: []string{"ResourcesValidated=False DeletionPolicyNotAllowed"},
				Events: []string{"Warning FailedDeleteBucket of Bucket b"}, Err: "Invalid DeletionPolicyNotAllowed",
			},
		},
		{
			Name: "Retain, which the cache does not show", Reason: "the data cannot be brought back",
			Given: func(s *scene) { s.hasDoomed(); s.Behind(func() { s.Modify(s.bucket, func() { retained(s.bucket) }) }) },
			Want:  phasetest.Outcome{Writes: []string{statusPatch}}, // the conditions have observed the generation
		},
		{
			Name: "bound, which the cache does not show", Reason: "the data is the claim's now",
			Given: func(s *scene) {
				s.hasBucket(provisioned, unbound, deleting, unready)
				s.Behind(func() {
					s.Modify(s.bucket, func() { s.bucket.Spec.BucketClaimRef.UID = phasetest.OtherUID })
				})
			},
			Want: phasetest.Outcome{
				Writes: []string{statusPatch}, Conditions: []string{"ResourcesValidated=True DeletionBlocked"},
				Events: []string{"Normal DeletionBlocked of Bucket b"}, Err: "Blocked DeletionBlocked",
			},
		},
		{
			Name: "label that the cache does not show", Reason: "it does not matter",
			Given: func(s *scene) { s.hasDoomed(); s.Behind(func() { s.Label(s.bucket) }) }, Want: deleted,
		},
		{
			Name: "released, which the cache does not show", Reason: "its bucket is deleted",
			Given: func(s *scene) {
				s.hasDoomed(audited)
				s.Behind(func() { s.Modify(s.bucket, func() { s.bucket.Finalizers = []string{phasetest.Foreign} }) })
			},
			Want: phasetest.Outcome{Err: "done"},
		},
		{
			Name: "created again, which the cache does not show", Reason: "the ID may be of another bucket now",
			Given: func(s *scene) { s.hasDoomed(); s.Behind(func() { s.ForceRemove(s.bucket); s.hasDoomed() }) },
			Want:  phasetest.Retried("Conflict"),
		},
		{
			Name: "gone, which the cache does not show", Reason: "its bucket is the backend's administrator's now",
			Given: func(s *scene) { s.hasDoomed(); s.Behind(func() { s.ForceRemove(s.bucket) }) },
			Want:  phasetest.Retried("NotFound"),
		},
		{
			Name: "API server fails", Reason: "nothing is deleted on the word of the cache",
			Given: func(s *scene) { s.hasDoomed(); s.Reject("get buckets", http.StatusInternalServerError) },
			Want:  failed(),
		},
		{Name: "driver unavailable", Reason: "time may help", Given: fails(codes.Unavailable), Want: retries("Unavailable")},
		{
			Name: "bucket not empty", Reason: "KEP: the finalizer stays, and the deletion is never given up",
			Given: fails(codes.FailedPrecondition), Want: retries("FailedPrecondition"),
		},
		{
			Name: "driver rejects the ID", Reason: "a deletion is never given up: something would be left in the backend",
			Given: fails(codes.InvalidArgument), Want: retries("InvalidArgument"),
		},
		{
			Name: "call in flight for the bucket", Reason: "a driver need not handle two at once",
			Given: func(s *scene) { s.hasDoomed(); s.busy = []string{s.bucket.Status.BucketID} },
			Want:  phasetest.Outcome{Err: "postponed"},
		},
		{
			Name: "call in flight, policy Retain", Reason: "there is no call to wait for",
			Given: func(s *scene) { s.hasDoomed(retained); s.busy = []string{s.bucket.Status.BucketID} },
		},
	}, (*attempt).deleteBucket)
}
