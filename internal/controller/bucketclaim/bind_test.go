package bucketclaim

import (
	"net/http"
	"testing"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

// lost is the outcome for a claim that has had a Bucket and has it no more.
func lost(reason string) phasetest.Outcome {
	return phasetest.Outcome{
		Writes:     []string{statusPatch},
		Conditions: []string{"Provisioned=False " + reason, "ResourcesValidated=False " + reason},
		Events:     []string{"Warning FailedCreateBucket of BucketClaim photos"},
		Err:        "Lost " + reason,
	}
}

// invalid is the outcome for a claim that cannot have a Bucket as things are.
func invalid(reason string) phasetest.Outcome {
	o := lost(reason)
	o.Err = "Invalid " + reason
	return o
}

// failed is the outcome if the API server fails before anything is written.
func failed(writes ...string) phasetest.Outcome {
	return phasetest.Outcome{
		Writes: writes, Events: []string{"Warning APIError of BucketClaim photos"}, Err: "InternalError", Requeue: true,
	}
}

func TestBindBound(t *testing.T) {
	t.Parallel()
	runTable(t, []phaseCase{
		{
			name: "bound", reason: "nothing is to be done",
			given: func(s *scene) { s.hasClaim(); s.bind(); s.hasBucket() },
		},
		{
			name: "bound to an existing Bucket", reason: "nothing is to be done",
			given: func(s *scene) { s.hasClaim(s.ofExisting); s.bind(); s.hasBucket() },
		},
		{
			name: "another name", reason: "the name follows from immutable fields, so the status was edited",
			given: func(s *scene) {
				s.hasClaim(func(claim *v1alpha2.BucketClaim) { claim.Status.BoundBucketName = "elsewhere" })
				s.hasBucket()
			},
			want: invalid(v1alpha2.ReasonDegraded),
		},
		{
			name: "Bucket gone", reason: "a new and empty Bucket would hide the loss",
			given: func(s *scene) { s.hasClass(); s.hasClaim(); s.bind() },
			want:  lost(v1alpha2.ReasonBucketLost),
		},
		{
			name: "Bucket not in the cache", reason: "the API server has it, and the watch may have no further event",
			given: func(s *scene) { s.hasClaim(); s.bind(); s.Behind(func() { s.hasBucket() }) },
			want:  phasetest.Outcome{Requeue: true},
		},
		{
			name: "another Bucket in the cache", reason: "the API server has the right one",
			given: func(s *scene) {
				s.hasClaim()
				s.bind()
				s.hasBucket(ofOther)
				s.Behind(func() { s.Remove(s.bucket); s.hasBucket() })
			},
			want: phasetest.Outcome{Requeue: true},
		},
		{
			name: "another Bucket in the cache, which is gone", reason: "it is lost; the write of the status causes the next reconcile",
			given: func(s *scene) {
				s.hasClaim()
				s.bind()
				s.hasBucket(ofOther)
				s.Behind(func() { s.Remove(s.bucket) })
			},
			want: lost(v1alpha2.ReasonBucketLost),
		},
		{
			name: "Bucket of another claim", reason: "its data is another user's",
			given: func(s *scene) { s.hasClaim(); s.bind(); s.hasBucket(ofOther) },
			want:  lost(v1alpha2.ReasonBindingConflict),
		},
		{
			name: "Bucket without a UID", reason: "the controller creates Buckets with the UID, so this is another one",
			given: func(s *scene) { s.hasClaim(); s.bind(); s.hasBucket(unbound) },
			want:  lost(v1alpha2.ReasonBindingConflict),
		},
		{
			name: "existing Bucket of another claim", reason: "its data is another user's",
			given: func(s *scene) { s.hasClaim(s.ofExisting); s.bind(); s.hasBucket(ofOther) },
			want:  lost(v1alpha2.ReasonBindingConflict),
		},
		{
			name: "existing Bucket created again", reason: "the administrator has restored it, so it is bound again",
			given: func(s *scene) { s.hasClaim(s.ofExisting); s.bind(); s.hasBucket(unbound) },
			want: phasetest.Outcome{
				Writes:  []string{"patch buckets brown (resourceVersion)"},
				Changes: []string{"Bucket brown: spec.bucketClaimRef.uid=uid-photos"},
			},
		},
		{
			name: "existing Bucket with policy Delete", reason: "COSI must not delete what it did not create",
			given: func(s *scene) { s.hasClaim(s.ofExisting); s.bind(); s.hasBucket(deleted) },
			want:  invalid(v1alpha2.ReasonDeletionPolicyNotAllowed),
		},
		{
			name: "cache fails", reason: "nothing is concluded about the Bucket",
			given: func(s *scene) { s.hasClaim(); s.bind(); s.FailReads(&v1alpha2.Bucket{}) },
			want:  phasetest.Retried("Unreadable"),
		},
		{
			name: "API server fails", reason: "nothing is concluded about the Bucket",
			given: func(s *scene) {
				s.hasClaim()
				s.bind()
				s.Reject("get buckets", http.StatusInternalServerError)
			},
			want: failed(),
		},
	}, (*attempt).bind)
}
