package bucket

import (
	"net/http"
	"testing"

	"google.golang.org/grpc/codes"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

const isIdentified = "Bucket b: status.bucketID=id-b"

// answersID lets the driver generate an ID for each bucket.
func (s *scene) answersID(id string) {
	s.driver.Answer("DriverGenerateBucketId", &cosiv1alpha2.DriverGenerateBucketIdResponse{BucketId: id})
}

// hasOther makes another Bucket, with the ID "taken".
func (s *scene) hasOther(edits ...func(*v1alpha2.Bucket)) {
	s.Helper()
	other := s.newBucket("other")
	other.Status.BucketID = s.Name("taken")
	phasetest.Make(s.Case, other, edits...)
}

func TestGenerateID(t *testing.T) {
	t.Parallel()
	named := phasetest.Outcome{Writes: []string{generates, statusPatch}, Changes: []string{isIdentified}}
	takenID := phasetest.Outcome{Writes: []string{generates, statusPatch}, Changes: []string{"Bucket b: status.bucketID=taken"}}
	isRejected := func(writes ...string) phasetest.Outcome {
		return rejected(v1alpha2.ReasonInvalidDriverResponse, writes...)
	}
	runTable(t, []phaseCase{
		{
			Name: "new Bucket", Reason: "the ID is persisted before the driver creates what it stands for",
			Given: func(s *scene) { s.hasBucket() }, Want: named,
		},
		{Name: "ID", Reason: "a Bucket keeps its ID", Given: func(s *scene) { s.hasBucket(identified) }},
		{Name: "existing bucket", Reason: "its ID is in the spec", Given: func(s *scene) { s.hasBucket(s.static) }},
		{
			Name: "driver unavailable", Reason: "time may help",
			Given: func(s *scene) { s.hasBucket(); s.driver.Fail("DriverGenerateBucketId", codes.Unavailable, "later") },
			Want:  retried(generates + ": Unavailable"),
		},
		{
			Name: "name out of range", Reason: "KEP: only the codes of a call are final, and OutOfRange is none of this call's",
			Given: func(s *scene) { s.hasBucket(); s.driver.Fail("DriverGenerateBucketId", codes.OutOfRange, "no") },
			Want:  retried(generates + ": OutOfRange"),
		},
		{
			Name: "driver rejects the parameters", Reason: "KEP: InvalidArgument is final",
			Given: func(s *scene) { s.hasBucket(); s.driver.Fail("DriverGenerateBucketId", codes.InvalidArgument, "no") },
			Want:  rejected(v1alpha2.ReasonDriverRefused, generates+": InvalidArgument"),
		},
		{
			Name: "no ID", Reason: "nothing can be created by it",
			Given: func(s *scene) { s.hasBucket(); s.answersID("") }, Want: isRejected(generates),
		},
		{
			Name: "ID with a space", Reason: "the API server would reject it",
			Given: func(s *scene) { s.hasBucket(); s.answersID("a b") }, Want: isRejected(generates),
		},
		{
			Name: "ID that the API server rejects", Reason: "the driver is not asked to create it",
			Given: func(s *scene) { s.hasBucket(); s.Reject("patch buckets/status", http.StatusUnprocessableEntity) },
			Want: phasetest.Outcome{
				Writes: []string{generates, statusPatch + ": Unprocessable Entity", statusPatch + ": Unprocessable Entity"},
				Events: []string{"Warning APIError of Bucket b"}, Err: "Rejected InvalidDriverResponse", Requeue: true,
			},
		},
		{
			Name: "ID of another Bucket", Reason: "the deletion of one would destroy the other's data",
			Given: func(s *scene) { s.hasOther(); s.hasBucket(); s.answersID(s.Name("taken")) }, Want: isRejected(generates),
		},
		{
			Name: "ID of an existing bucket", Reason: "COSI did not create it, and must not delete it",
			Given: func(s *scene) {
				s.hasOther(retained, func(b *v1alpha2.Bucket) { b.Spec.ExistingBucketID, b.Status.BucketID = b.Status.BucketID, "" })
				s.hasBucket()
				s.answersID(s.Name("taken"))
			},
			Want: isRejected(generates),
		},
		{
			Name: "ID of a deleting Bucket", Reason: "its bucket may still exist",
			Given: func(s *scene) { s.hasOther(deleting); s.hasBucket(); s.answersID(s.Name("taken")) }, Want: isRejected(generates),
		},
		{
			Name: "ID of a released Bucket", Reason: "its bucket is deleted",
			Given: func(s *scene) {
				s.hasOther(withoutFinalizer, audited, deleting)
				s.hasBucket()
				s.answersID(s.Name("taken"))
			},
			Want: takenID,
		},
		{
			Name: "ID of another driver's Bucket", Reason: "it means another bucket to that driver",
			Given: func(s *scene) { s.hasOther(ofOtherDriver); s.hasBucket(); s.answersID(s.Name("taken")) }, Want: takenID,
		},
		{
			Name: "cache fails", Reason: "another Bucket may have the ID",
			Given: func(s *scene) { s.hasBucket(); s.FailReads(&v1alpha2.BucketList{}) },
			Want:  phasetest.Retried("Unreadable", generates),
		},
		{
			Name: "changed meanwhile", Reason: "the conditions are a list",
			Given: func(s *scene) { s.hasBucket(); s.Before(generates, func() { s.Label(s.bucket) }) },
			Want:  phasetest.Retried("Conflict", generates, statusPatch+": Conflict"),
		},
		{
			Name: "identified meanwhile", Reason: "the ID may stand for a bucket by now",
			Given: func(s *scene) {
				s.hasBucket()
				s.Behind(func() { s.ModifyStatus(s.bucket, func() { s.bucket.Status.BucketID = "earlier" }) })
			},
			Want: phasetest.Retried("Conflict", generates, statusPatch+": Conflict"),
		},
		{
			Name: "created again meanwhile", Reason: "the new one must not inherit the ID",
			Given: func(s *scene) { s.hasBucket(); s.Behind(func() { s.ForceRemove(s.bucket); s.hasBucket() }) },
			Want:  phasetest.Retried("Conflict", generates, statusPatch+": Conflict"),
		},
		{
			Name: "gone meanwhile", Reason: "nothing was created, so nothing leaks",
			Given: func(s *scene) { s.hasBucket(); s.Behind(func() { s.ForceRemove(s.bucket) }) },
			Want:  phasetest.Retried("NotFound", generates, statusPatch+": Not Found"),
		},
		{
			Name: "API server fails", Reason: "the driver is not asked to create what nothing knows of",
			Given: func(s *scene) { s.hasBucket(); s.Reject("patch buckets/status", http.StatusInternalServerError) },
			Want:  failed(generates, statusPatch+phasetest.ServerFails),
		},
	}, (*attempt).generateID)
}
