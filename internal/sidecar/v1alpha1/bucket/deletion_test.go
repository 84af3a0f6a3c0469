package bucket

import (
	"net/http"
	"testing"

	"google.golang.org/grpc/codes"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

func (s *scene) hasDoomed(edits ...func(*v1alpha1.Bucket)) {
	s.Helper()
	s.hasBucket(append([]func(*v1alpha1.Bucket){s.provisioned, deleting}, edits...)...)
}

// withOld makes a Bucket have the existing bucket of static, too.
func (s *scene) withOld(b *v1alpha1.Bucket) { b.Status.BucketID = s.Name("old") }

// Spec: A1-FLOW-7
func TestDeleteBucket(t *testing.T) {
	t.Parallel()
	isDeleted := phasetest.Outcome{Writes: []string{deletes}}
	fails := func(code codes.Code) func(*scene) {
		return func(s *scene) { s.hasDoomed(); s.driver.Fail("DriverDeleteBucket", code, "no") }
	}
	runTable(t, []phaseCase{
		{Name: "policy Delete", Reason: "the driver deletes the bucket", Given: fails(codes.OK), Want: isDeleted},
		{Name: "policy Retain", Reason: "the bucket stays", Given: func(s *scene) { s.hasDoomed(retained) }},
		{
			Name: "bucket gone", Reason: "Spec: many drivers answer NotFound, and that is what was wanted",
			Given: fails(codes.NotFound), Want: phasetest.Outcome{Writes: []string{deletes + ": NotFound"}},
		},
		{
			Name: "existing bucket, policy Delete", Reason: "Spec: v1alpha1 deletes it, as the administrator has chosen",
			Given: func(s *scene) { s.hasBucket(s.static, deleting) },
			Want:  phasetest.Outcome{Writes: []string{"call DriverDeleteBucket old: NotFound"}},
		},
		{
			Name: "existing bucket of another Bucket", Reason: "it has the other's data",
			Given: func(s *scene) { s.hasOther(s.withOld); s.hasBucket(s.static, deleting) },
		},
		{
			Name: "existing bucket of another Bucket that the cache does not show", Reason: "it has the other's data",
			Given: func(s *scene) {
				s.hasBucket(s.static, deleting)
				s.Behind(func() { s.hasOther(s.withOld) })
			},
		},
		{
			Name: "existing bucket of another driver's Bucket", Reason: "it is another bucket",
			Given: func(s *scene) { s.hasOther(s.withOld, ofOtherDriver); s.hasBucket(s.static, deleting) },
			Want:  phasetest.Outcome{Writes: []string{"call DriverDeleteBucket old: NotFound"}},
		},
		{
			Name: "bucket of its own with a second Bucket", Reason: "the bucket was created for this one",
			Given: func(s *scene) {
				s.hasOther(func(b *v1alpha1.Bucket) { b.Spec.ExistingBucketID, b.Status.BucketID = s.Name("id-b"), s.Name("id-b") })
				s.hasDoomed()
			},
			Want: phasetest.Outcome{Writes: []string{deletes + ": NotFound"}},
		},
		{
			Name: "Retain, which the cache does not show", Reason: "the data cannot be brought back",
			Given: func(s *scene) {
				s.hasDoomed()
				s.Behind(func() { s.Modify(s.bucket, func() { retained(s.bucket) }) })
			},
		},
		{
			Name: "access", Reason: "its credentials are revoked by the bucket",
			Given: func(s *scene) { s.hasDoomed(accessed); s.hasAccess() }, Want: blocked,
		},
		{
			Name: "access that the cache does not show", Reason: "its credentials are revoked by the bucket",
			Given: func(s *scene) { s.hasDoomed(accessed); s.Behind(func() { s.hasAccess() }) },
			Want:  phasetest.Outcome{Err: "done", Requeue: true},
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
			Name: "created again, which the cache does not show", Reason: "the bucket is the new one's",
			Given: func(s *scene) {
				s.hasDoomed()
				s.Behind(func() { s.ForceRemove(s.bucket); s.hasBucket(s.provisioned) })
			},
			Want: phasetest.Retried("Conflict"),
		},
		{
			Name: "API server fails", Reason: "nothing is deleted on the word of the cache",
			Given: func(s *scene) { s.hasDoomed(); s.Reject("get buckets", http.StatusInternalServerError) }, Want: apiFailure(),
		},
		{
			Name: "driver unavailable", Reason: "time may help",
			Given: fails(codes.Unavailable), Want: retried("FailedDeleteBucket", "DriverError", deletes+": Unavailable"),
		},
		{
			Name: "driver rejects the ID", Reason: "a deletion is never given up: something would be left in the backend",
			Given: fails(codes.InvalidArgument), Want: retried("FailedDeleteBucket", "DriverError", deletes+": InvalidArgument"),
		},
		{
			Name: "call in flight for the bucket", Reason: "a driver need not handle two at once",
			Given: func(s *scene) { s.hasDoomed(); s.busy = []string{s.Name("id-b")} }, Want: phasetest.Outcome{Err: "postponed"},
		},
	}, (*attempt).deleteBucket)
}

// TestLearnID: the deletion of a Bucket whose ID was never saved.
func TestLearnID(t *testing.T) {
	t.Parallel()
	has := func(s *scene) { s.hasBucket(deleting) }
	fails := func(code codes.Code, before int) func(*scene) {
		return func(s *scene) { has(s); s.failed = before; s.driver.Fail("DriverCreateBucket", code, "no") }
	}
	learned := []string{creates, statusPatch, deletes + ": NotFound"}
	isIdentified := []string{"Bucket b: status.bucketID=id-b"}
	runTable(t, []phaseCase{
		{
			Name: "no ID", Reason: "the finalizer shows that a bucket may exist; its ID is saved, so that it is not created again",
			Given: has, Want: phasetest.Outcome{Writes: learned, Changes: isIdentified},
		},
		{
			Name: "no ID, Retain", Reason: "whatever exists stays, and its ID is saved, so that the administrator finds it",
			Given: func(s *scene) { s.hasBucket(retained, deleting) },
			Want:  phasetest.Outcome{Writes: []string{creates, statusPatch}, Changes: isIdentified},
		},
		{
			Name: "driver rejects the call", Reason: "Spec: it has created nothing",
			Given: fails(codes.InvalidArgument, 0), Want: phasetest.Outcome{Writes: []string{creates + ": InvalidArgument"}},
		},
		{
			Name: "driver fails", Reason: "it may have created something",
			Given: fails(codes.Internal, 0), Want: retried("FailedDeleteBucket", "DriverError", creates+": Internal"),
		},
		{
			Name: "driver fails for the third time", Reason: "a Bucket whose bucket was never created could not be deleted otherwise",
			Given: fails(codes.Internal, 2), Want: phasetest.Outcome{Writes: []string{creates + ": Internal"}},
		},
		{
			Name: "driver unavailable, many times", Reason: "the code does not tell whether the bucket exists",
			Given: fails(codes.Unavailable, 5), Want: retried("FailedDeleteBucket", "DriverError", creates+": Unavailable"),
		},
		{
			Name: "answer without an ID", Reason: "only another answer tells which bucket there is",
			Given: func(s *scene) { has(s); s.answersID("") }, Want: retried("FailedDeleteBucket", "InvalidDriverResponse", creates),
		},
		{
			Name: "ID of another Bucket", Reason: "it is not this Bucket's to delete",
			Given: func(s *scene) { s.hasOther(); has(s); s.answersID("taken") }, Want: phasetest.Outcome{Writes: []string{creates}},
		},
		{
			Name: "cache fails", Reason: "another Bucket may have the ID",
			Given: func(s *scene) { has(s); s.FailReads(&v1alpha1.BucketList{}) },
			Want:  phasetest.Retried("Unreadable", creates),
		},
		{
			Name: "API server fails to save", Reason: "the deletion would create the bucket again",
			Given: func(s *scene) { has(s); s.Reject("patch buckets/status", http.StatusInternalServerError) },
			Want:  apiFailure(creates, statusPatch+phasetest.ServerFails),
		},
	}, (*attempt).deleteBucket)
}
