package bucket

import (
	"testing"

	"google.golang.org/grpc/codes"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

// failure is the failure of a call to the driver.
func failure() *reasons.Error {
	found, _ := reasons.As(reasons.Failed(v1alpha2.ReasonDriverError, "no"))
	return found
}

func TestReconcile(t *testing.T) {
	t.Parallel()
	const isProtected = `Bucket b: metadata.finalizers=["objectstorage.k8s.io/protection"]`
	runTable(t, []phaseCase{
		{
			Name: "new Bucket", Reason: "the finalizer comes before the first call, and the ID before the bucket",
			Given: func(s *scene) { s.hasBucket(withoutFinalizer) },
			Want: phasetest.Outcome{
				Writes:     []string{bucketPatch, generates, statusPatch, creates, statusPatch},
				Changes:    append([]string{isProtected, isIdentified}, isProvisioned("id-b")...),
				Conditions: provisions("").Conditions, Events: provisions("").Events,
			},
		},
		{
			Name: "existing bucket", Reason: "the finalizer comes before the call",
			Given: func(s *scene) { s.hasBucket(withoutFinalizer, s.static); s.driver.AddBucket(s.Name("old")) },
			Want: phasetest.Outcome{
				Writes:     []string{bucketPatch, "call DriverGetBucket old", statusPatch},
				Changes:    append([]string{isProtected, "Bucket b: status.bucketID=old"}, isProvisioned("old")...),
				Conditions: provisions("").Conditions, Events: provisions("").Events,
			},
		},
		{Name: "settled Bucket", Reason: "nothing is written or called", Given: func(s *scene) { s.hasBucket(provisioned) }},
		{
			Name: "ID that was named before a crash", Reason: "no second ID is asked for",
			Given: func(s *scene) { s.hasBucket(identified) }, Want: provisions(creates, isProvisioned("id-b")...),
		},
		{
			Name: "settled Bucket without its finalizer", Reason: "it is set again, and the driver is not called",
			Given: func(s *scene) { s.hasBucket(provisioned, withoutFinalizer) },
			Want:  phasetest.Outcome{Writes: []string{bucketPatch}, Changes: []string{isProtected}},
		},
		{
			Name: "protocol that the driver does not serve", Reason: "such a Bucket gets no finalizer, and no call is made",
			Given: func(s *scene) { s.hasBucket(withoutFinalizer, forAzure) },
			Want:  invalid(v1alpha2.ReasonProtocolNotSupported),
		},
		{
			Name: "claim deleting", Reason: "nothing new is provisioned, and an impossible spec does not matter any more",
			Given: func(s *scene) { s.hasBucket(withoutFinalizer, forAzure, announced) },
			Want:  phasetest.Outcome{Err: "done"},
		},
		{
			Name: "Bucket of another driver", Reason: "its sidecar reconciles it",
			Given: func(s *scene) { s.hasBucket(withoutFinalizer, ofOtherDriver) },
		},
		{
			Name: "Bucket for a claim of a namespace that is not served", Reason: "another sidecar may provision it",
			Given: func(s *scene) { s.only = []string{"elsewhere"}; s.hasBucket(withoutFinalizer) },
		},
		{
			Name: "Bucket for a claim of a served namespace", Reason: "it is provisioned",
			Given: func(s *scene) { s.only = []string{s.Namespace}; s.hasBucket(identified) },
			Want:  provisions(creates, isProvisioned("id-b")...),
		},
		{
			Name: "deleting Bucket for a claim of a namespace that is not served", Reason: "its data is another installation's",
			Given: func(s *scene) { s.only = []string{"elsewhere"}; s.hasDoomed() },
		},
		{
			Name: "deleting Bucket of another driver", Reason: "its sidecar deletes the bucket",
			Given: func(s *scene) { s.hasDoomed(ofOtherDriver) },
		},
		{
			Name: "deleting Bucket", Reason: "it is withdrawn before the driver deletes the bucket, and released afterwards",
			Given: func(s *scene) { s.hasBucket(provisioned, audited, announced, deleting) },
			Want: phasetest.Outcome{
				Writes:  []string{statusPatch, deletes, bucketPatch},
				Changes: []string{`Bucket b: metadata.finalizers=["example.com/audit"]`, withdrawn},
				Events:  []string{recordsReleased},
			},
		},
		{
			Name: "deleting Bucket, driver unavailable", Reason: "the finalizer stays",
			Given: func(s *scene) { s.hasDoomed(); s.driver.Fail("DriverDeleteBucket", codes.Unavailable, "later") },
			Want: phasetest.Outcome{
				Writes: []string{deletes + ": Unavailable", statusPatch}, Conditions: []string{"ProvisionFailed=True DriverError"},
				Events: []string{"Warning FailedDeleteBucket of Bucket b"}, Err: "Failed DriverError", Requeue: true,
			},
		},
		{
			Name: "deleting Bucket of a claim", Reason: "no call is made, and the finalizer stays",
			Given: func(s *scene) { s.hasBucket(provisioned, unready, deleting) },
			Want: phasetest.Outcome{
				Writes: []string{statusPatch}, Conditions: []string{"ResourcesValidated=True DeletionBlocked"},
				Events: []string{"Normal DeletionBlocked of Bucket b"}, Err: "Blocked DeletionBlocked",
			},
		},
		{
			Name: "deleting Bucket, Retain", Reason: "it is released without a call",
			Given: func(s *scene) { s.hasDoomed(retained) },
			Want:  phasetest.Outcome{Writes: []string{bucketPatch}, Changes: []string{isGone}, Events: []string{recordsReleased}},
		},
		{
			Name: "Bucket that was released", Reason: "its bucket is deleted, and it may have vanished",
			Given: func(s *scene) { s.hasDoomed(withoutFinalizer, audited) },
		},
		{
			Name: "Bucket that is gone", Reason: "there is nothing to reconcile",
			Given: func(s *scene) { s.bucket = s.newBucket("gone") },
		},
	})
}
