package bucketclaim

import (
	"net/http"
	"testing"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

func lost(reason string) phasetest.Outcome {
	return phasetest.Outcome{
		Writes:     []string{statusPatch},
		Conditions: []string{"Provisioned=False " + reason, "ResourcesValidated=False " + reason},
		Events:     []string{"Warning FailedCreateBucket of BucketClaim photos"},
		Err:        "Lost " + reason,
	}
}

func invalid(reason string) phasetest.Outcome {
	o := lost(reason)
	o.Err = "Invalid " + reason
	return o
}

func failed(writes ...string) phasetest.Outcome {
	return phasetest.Failed("BucketClaim photos", writes...)
}

func TestBindBound(t *testing.T) {
	t.Parallel()
	runTable(t, []phaseCase{
		{
			Name: "bound", Reason: "nothing is to be done",
			Given: func(s *scene) { s.hasClaim(); s.bind(); s.hasBucket() },
		},
		{
			Name: "bound to an existing Bucket", Reason: "nothing is to be done",
			Given: func(s *scene) { s.hasClaim(s.ofExisting); s.bind(); s.hasBucket() },
		},
		{
			Name: "another name", Reason: "the name follows from immutable fields, so the status was edited",
			Given: func(s *scene) {
				s.hasClaim(func(claim *v1alpha2.BucketClaim) { claim.Status.BoundBucketName = "elsewhere" })
				s.hasBucket()
			},
			Want: invalid(v1alpha2.ReasonDegraded),
		},
		{
			Name: "Bucket gone", Reason: "a new and empty Bucket would hide the loss",
			Given: func(s *scene) { s.hasClass(); s.hasClaim(); s.bind() },
			Want:  lost(v1alpha2.ReasonBucketLost),
		},
		{
			Name: "Bucket not in the cache", Reason: "the API server has it, and the watch may have no further event",
			Given: func(s *scene) { s.hasClaim(); s.bind(); s.Behind(func() { s.hasBucket() }) },
			Want:  phasetest.Outcome{Requeue: true},
		},
		{
			Name: "another Bucket in the cache", Reason: "the API server has the right one",
			Given: func(s *scene) {
				s.hasClaim()
				s.bind()
				s.hasBucket(ofOther)
				s.Behind(func() { s.Remove(s.bucket); s.hasBucket() })
			},
			Want: phasetest.Outcome{Requeue: true},
		},
		{
			Name: "another Bucket in the cache, which is gone", Reason: "it is lost; the write of the status causes the next reconcile",
			Given: func(s *scene) {
				s.hasClaim()
				s.bind()
				s.hasBucket(ofOther)
				s.Behind(func() { s.Remove(s.bucket) })
			},
			Want: lost(v1alpha2.ReasonBucketLost),
		},
		{
			Name: "Bucket of another claim", Reason: "its data is another user's",
			Given: func(s *scene) { s.hasClaim(); s.bind(); s.hasBucket(ofOther) },
			Want:  lost(v1alpha2.ReasonBindingConflict),
		},
		{
			Name: "Bucket without a UID", Reason: "the controller creates Buckets with the UID, so this is another one",
			Given: func(s *scene) { s.hasClaim(); s.bind(); s.hasBucket(unbound) },
			Want:  lost(v1alpha2.ReasonBindingConflict),
		},
		{
			Name: "existing Bucket of another claim", Reason: "its data is another user's",
			Given: func(s *scene) { s.hasClaim(s.ofExisting); s.bind(); s.hasBucket(ofOther) },
			Want:  lost(v1alpha2.ReasonBindingConflict),
		},
		{
			Name: "existing Bucket created again", Reason: "the administrator has restored it, so it is bound again",
			Given: func(s *scene) { s.hasClaim(s.ofExisting); s.bind(); s.hasBucket(unbound) },
			Want: phasetest.Outcome{
				Writes:  []string{"patch buckets brown (resourceVersion)"},
				Changes: []string{"Bucket brown: spec.bucketClaimRef.uid=uid-photos"},
			},
		},
		{
			Name: "existing Bucket with policy Delete", Reason: "COSI must not delete a bucket that it did not create",
			Given: func(s *scene) { s.hasClaim(s.ofExisting); s.bind(); s.hasBucket(deleted) },
			Want:  invalid(v1alpha2.ReasonDeletionPolicyNotAllowed),
		},
		{
			Name: "existing Bucket created again with policy Delete", Reason: "the earlier Bucket is lost, and this one is not bound",
			Given: func(s *scene) { s.hasClaim(s.ofExisting); s.bind(); s.hasBucket(unbound, deleted) },
			Want:  lost(v1alpha2.ReasonDeletionPolicyNotAllowed),
		},
		{
			Name: "existing Bucket created again for a new bucket", Reason: "the earlier Bucket is lost, and this one is not bound",
			Given: func(s *scene) {
				s.hasClaim(s.ofExisting)
				s.bind()
				s.hasBucket(unbound, func(b *v1alpha2.Bucket) { b.Spec.ExistingBucketID = "" })
			},
			Want: lost(v1alpha2.ReasonInvalidSpec),
		},
		{
			Name: "existing Bucket created again that is deleting", Reason: "the earlier Bucket is lost, and this one is not bound",
			Given: func(s *scene) { s.hasClaim(s.ofExisting); s.bind(); s.hasBucket(unbound, going) },
			Want:  lost(v1alpha2.ReasonBucketDeleting),
		},
		{
			Name: "cache fails", Reason: "nothing is concluded about the Bucket",
			Given: func(s *scene) { s.hasClaim(); s.bind(); s.FailReads(&v1alpha2.Bucket{}) },
			Want:  phasetest.Retried("Unreadable"),
		},
		{
			Name: "API server fails", Reason: "nothing is concluded about the Bucket",
			Given: func(s *scene) {
				s.hasClaim()
				s.bind()
				s.Reject("get buckets", http.StatusInternalServerError)
			},
			Want: failed(),
		},
	}, (*attempt).bind)
}
