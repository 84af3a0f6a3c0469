package bucket

import (
	"net/http"
	"testing"

	"google.golang.org/grpc/codes"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/connection"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

// errUnknown is a failure after which a bucket may exist.
var errUnknown = &connection.CallError{Method: "DriverCreateBucket", Code: codes.Internal}

func (s *scene) hasOther(edits ...func(*v1alpha1.Bucket)) {
	s.Helper()
	other := s.newBucket("other")
	other.Status.BucketID = s.Name("taken")
	phasetest.Make(s.Case, other, edits...)
}

// Spec: A1-FLOW-5
func TestProvision(t *testing.T) {
	t.Parallel()
	const isIdentified = "Bucket b: status.bucketID=id-b"
	created := phasetest.Outcome{
		Writes: []string{creates, statusPatch}, Changes: []string{isIdentified, isReady}, Events: []string{recordsReady},
	}
	fails := func(code codes.Code) func(*scene) {
		return func(s *scene) { s.hasBucket(); s.driver.Fail("DriverCreateBucket", code, "no") }
	}
	rejected := func(reason string, writes ...string) phasetest.Outcome {
		return phasetest.Outcome{Writes: writes, Events: []string{"Warning FailedCreateBucket of Bucket b"}, Err: "Rejected " + reason}
	}
	again := phasetest.Outcome{Err: "done", Requeue: true}
	runTable(t, []phaseCase{
		{
			Name: "new Bucket", Reason: "Spec: the driver names the ID after it has created the bucket",
			Given: func(s *scene) { s.hasBucket() }, Want: created,
		},
		{Name: "ready", Reason: "a Bucket whose ID is known is never created again", Given: func(s *scene) { s.hasBucket(s.provisioned) }},
		{
			Name: "ID, not ready", Reason: "the status was edited, or the deletion has learned the ID; no call is made",
			Given: func(s *scene) { s.hasBucket(s.identified) },
			Want:  phasetest.Outcome{Writes: []string{statusPatch}, Changes: []string{isReady}},
		},
		{
			Name: "existing bucket", Reason: "it exists without COSI, and no call is made",
			Given: func(s *scene) { s.hasBucket(s.static) },
			Want: phasetest.Outcome{
				Writes: []string{statusPatch}, Changes: []string{"Bucket b: status.bucketID=old", isReady}, Events: []string{recordsReady},
			},
		},
		{
			Name: "ready without an ID", Reason: "there is no bucket to use, until the call has succeeded",
			Given: func(s *scene) { s.hasBucket(ready) },
			Want: phasetest.Outcome{
				Writes: []string{statusPatch, creates, statusPatch}, Changes: []string{isIdentified}, Events: []string{recordsReady},
			},
		},
		{
			Name: "ready without an ID, API server fails", Reason: "the call comes after the correction",
			Given: func(s *scene) { s.hasBucket(ready); s.Reject("patch buckets/status", http.StatusInternalServerError) },
			Want:  apiFailure(statusPatch + phasetest.ServerFails),
		},
		{
			Name: "driver unavailable", Reason: "time may help",
			Given: fails(codes.Unavailable), Want: retried("FailedCreateBucket", "DriverError", creates+": Unavailable"),
		},
		{
			Name: "bucket exists", Reason: "Spec: the call may have succeeded early, so it is repeated",
			Given: fails(codes.AlreadyExists), Want: retried("FailedCreateBucket", "DriverError", creates+": AlreadyExists"),
		},
		{
			Name: "driver rejects the parameters", Reason: "Spec: InvalidArgument is final",
			Given: fails(codes.InvalidArgument), Want: rejected("DriverRefused", creates+": InvalidArgument"),
		},
		{
			Name: "no ID", Reason: "only another answer tells which bucket there is",
			Given: func(s *scene) { s.hasBucket(); s.answersID("") },
			Want:  retried("FailedCreateBucket", "InvalidDriverResponse", creates),
		},
		{
			Name: "ID of another Bucket", Reason: "the deletion of one would destroy the other's data",
			Given: func(s *scene) { s.hasOther(); s.hasBucket(); s.answersID("taken") },
			Want:  rejected("InvalidDriverResponse", creates),
		},
		{
			Name: "ID of another Bucket, with the driver in capitals", Reason: "letter case does not count in the names of drivers",
			Given: func(s *scene) { s.hasOther(inCapitals); s.hasBucket(); s.answersID("taken") },
			Want:  rejected("InvalidDriverResponse", creates),
		},
		{
			Name: "ID of an existing bucket", Reason: "COSI did not create it",
			Given: func(s *scene) {
				s.hasOther(func(b *v1alpha1.Bucket) { b.Spec.ExistingBucketID, b.Status.BucketID = b.Status.BucketID, "" })
				s.hasBucket()
				s.answersID("taken")
			},
			Want: rejected("InvalidDriverResponse", creates),
		},
		{
			Name: "ID of a Bucket that was released", Reason: "its bucket is deleted",
			Given: func(s *scene) {
				s.hasOther(withoutFinalizer, audited, deleting)
				s.hasBucket()
				s.answersID("taken")
			},
			Want: func() phasetest.Outcome {
				o := created
				o.Changes = []string{"Bucket b: status.bucketID=taken", isReady}
				return o
			}(),
		},
		{
			Name: "ID that the cache does not show", Reason: "the bucket exists, and another driver would create a second one",
			Given: func(s *scene) {
				s.hasBucket()
				s.Behind(func() { s.ModifyStatus(s.bucket, func() { s.provisioned(s.bucket) }) })
			},
			Want: again,
		},
		{
			Name: "deletion that the cache does not show", Reason: "nothing new is created for it",
			Given: func(s *scene) { s.hasBucket(); s.Behind(func() { s.Remove(s.bucket) }) }, Want: again,
		},
		{
			Name: "finalizer removed, which the cache does not show", Reason: "the Bucket could vanish without its bucket",
			Given: func(s *scene) {
				s.hasBucket()
				s.Behind(func() { s.Modify(s.bucket, func() { withoutFinalizer(s.bucket) }) })
			},
			Want: again,
		},
		{
			Name: "created again, which the cache does not show", Reason: "the next reconcile is of the new one",
			Given: func(s *scene) { s.hasBucket(); s.Behind(func() { s.ForceRemove(s.bucket); s.hasBucket() }) },
			Want:  phasetest.Retried("Conflict"),
		},
		{
			Name: "gone, which the cache does not show", Reason: "nothing is created for it",
			Given: func(s *scene) { s.hasBucket(); s.Behind(func() { s.ForceRemove(s.bucket) }) }, Want: phasetest.Retried("NotFound"),
		},
		{
			Name: "changed during the call", Reason: "the idempotent call is repeated",
			Given: func(s *scene) { s.hasBucket(); s.Before("call DriverCreateBucket", func() { s.Label(s.bucket) }) },
			Want:  phasetest.Retried("Conflict", creates, statusPatch+": Conflict"),
		},
		{
			Name: "API server fails to read", Reason: "nothing is created on the word of the cache",
			Given: func(s *scene) { s.hasBucket(); s.Reject("get buckets", http.StatusInternalServerError) }, Want: apiFailure(),
		},
		{
			Name: "API server fails to save", Reason: "the idempotent call is repeated",
			Given: func(s *scene) { s.hasBucket(); s.Reject("patch buckets/status", http.StatusInternalServerError) },
			Want:  apiFailure(creates, statusPatch+phasetest.ServerFails),
		},
		{
			Name: "call in flight for the Bucket", Reason: "a driver need not handle two at once",
			Given: func(s *scene) { s.hasBucket(); s.busy = []string{"name " + s.bucket.Name} },
			Want:  phasetest.Outcome{Err: "postponed"},
		},
	}, (*attempt).provision)
}
