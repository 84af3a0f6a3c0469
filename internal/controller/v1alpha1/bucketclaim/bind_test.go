package bucketclaim

import (
	"net/http"
	"testing"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2" // for the reasons, which are those of both versions
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

func TestCheckSpec(t *testing.T) {
	t.Parallel()
	neither := func(claim *v1alpha1.BucketClaim) { claim.Spec.BucketClassName = "" }
	both := func(claim *v1alpha1.BucketClaim) { claim.Spec.ExistingBucketName = "brown" }
	bound := func(claim *v1alpha1.BucketClaim) { claim.Status.BucketName = "b" }
	runTable(t, []phaseCase{
		{name: "class", reason: "it is for a new bucket", given: func(s *scene) { s.hasClaim() }},
		{name: "existing Bucket", reason: "it is for that one", given: func(s *scene) { s.hasClaim(s.ofExisting) }},
		{
			name: "neither", reason: "the API server does not check it",
			given: func(s *scene) { s.hasClaim(neither) }, want: found("Invalid", v1alpha2.ReasonInvalidSpec),
		},
		{
			name: "both", reason: "the API server does not check it",
			given: func(s *scene) { s.hasClaim(both) }, want: found("Invalid", v1alpha2.ReasonInvalidSpec),
		},
		{name: "neither, bound", reason: "the claim keeps its Bucket", given: func(s *scene) { s.hasClaim(neither, bound) }},
		{name: "both, bound", reason: "the claim keeps its Bucket", given: func(s *scene) { s.hasClaim(both, bound) }},
		{
			name: "neither, ready", reason: "a status that says so was edited",
			given: func(s *scene) { s.hasClaim(neither, ready) },
			want: func() phasetest.Outcome {
				o := found("Invalid", v1alpha2.ReasonInvalidSpec)
				o.Writes, o.Changes = []string{statusPatch}, []string{unready}
				return o
			}(),
		},
	}, (*attempt).checkSpec)
}

func TestBindBound(t *testing.T) {
	t.Parallel()
	runTable(t, []phaseCase{
		{
			name: "bound", reason: "nothing is to be done",
			given: func(s *scene) { s.hasClaim(); s.bind(); s.hasBucket() },
		},
		{
			name: "bound to a Bucket of another name", reason: "an earlier controller has created it, and the UID counts",
			given: func(s *scene) {
				s.hasClaim(func(claim *v1alpha1.BucketClaim) { claim.Status.BucketName = s.Name("gold-1") })
				s.hasBucket(func(b *v1alpha1.Bucket) { b.Name = s.Name("gold-1") })
			},
		},
		{
			name: "Bucket gone", reason: "a new and empty Bucket would hide the loss",
			given: func(s *scene) { s.hasClass(); s.hasClaim(); s.bind() },
			want:  found("Lost", v1alpha2.ReasonBucketLost),
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
			name: "Bucket of another claim", reason: "its data is another user's",
			given: func(s *scene) { s.hasClaim(); s.bind(); s.hasBucket(ofOther) },
			want:  found("Lost", v1alpha2.ReasonBindingConflict),
		},
		{
			name: "Bucket without a UID", reason: "the controller creates Buckets with the UID, so this is another one",
			given: func(s *scene) { s.hasClaim(); s.bind(); s.hasBucket(unbound) },
			want:  found("Lost", v1alpha2.ReasonBindingConflict),
		},
		{
			name: "Bucket without a reference", reason: "the claim did not release it",
			given: func(s *scene) { s.hasClaim(); s.bind(); s.hasBucket(free) },
			want:  found("Lost", v1alpha2.ReasonBindingConflict),
		},
		{
			name: "cache fails", reason: "nothing is concluded about the Bucket",
			given: func(s *scene) { s.hasClaim(); s.bind(); s.FailReads(&v1alpha1.Bucket{}) },
			want:  phasetest.Retried("Unreadable"),
		},
		{
			name: "existing Bucket of another claim", reason: "its data is another user's",
			given: func(s *scene) { s.hasClaim(s.ofExisting); s.bind(); s.hasBucket(ofOther) },
			want:  found("Lost", v1alpha2.ReasonBindingConflict),
		},
		{
			name: "existing Bucket created again", reason: "the administrator has restored it, so it is bound again",
			given: func(s *scene) { s.hasClaim(s.ofExisting); s.bind(); s.hasBucket(unbound) },
			want: phasetest.Outcome{
				Writes: []string{bucketPatch}, Changes: []string{"Bucket brown: spec.bucketClaim.uid=uid-photos"},
			},
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

func TestSyncStatus(t *testing.T) {
	t.Parallel()
	const isReady = "BucketClaim photos: status.bucketReady=true"
	down := func(o phasetest.Outcome) phasetest.Outcome {
		o.Writes, o.Changes = []string{statusPatch}, []string{unready}
		return o
	}
	runTable(t, []phaseCase{
		{name: "new Bucket", reason: "the claim waits for it", given: func(s *scene) { s.hasClaim(); s.hasBucket(); s.bind() }},
		{
			name: "ready Bucket", reason: "the claim can be used, and its user is told",
			given: func(s *scene) { s.hasClaim(); s.hasBucket(readyBucket); s.bind() },
			want: phasetest.Outcome{
				Writes: []string{statusPatch}, Changes: []string{isReady}, Events: []string{"Normal Provisioned of BucketClaim photos"},
			},
		},
		{
			name: "nothing new", reason: "a settled claim is not written",
			given: func(s *scene) { s.hasClaim(ready); s.hasBucket(readyBucket); s.bind() },
		},
		{
			name: "Bucket not ready any more", reason: "its status was edited, or it was created again",
			given: func(s *scene) { s.hasClaim(ready); s.hasBucket(); s.bind() },
			want:  down(phasetest.Outcome{}),
		},
		{
			name: "deleting Bucket", reason: "the claim must not get new users",
			given: func(s *scene) { s.hasClaim(ready); s.hasBucket(readyBucket, going); s.bind() },
			want:  down(found("Invalid", v1alpha2.ReasonBucketDeleting)),
		},
		{
			name: "protocol that the Bucket lacks", reason: "the spec of the claim is not immutable",
			given: func(s *scene) { s.hasClaim(ready); s.hasBucket(readyBucket, forAzure); s.bind() },
			want:  down(found("Invalid", v1alpha2.ReasonProtocolNotSupported)),
		},
		{
			name: "protocol in lower case", reason: "elsewhere it is written so",
			given: func(s *scene) {
				s.hasClaim(ready)
				s.hasBucket(readyBucket, func(b *v1alpha1.Bucket) { b.Spec.Protocols = []v1alpha1.Protocol{"s3"} })
				s.bind()
			},
		},
		{
			name: "claim changed meanwhile", reason: "the whole status is written again",
			given: func(s *scene) {
				s.hasClaim()
				s.hasBucket(readyBucket)
				s.bind()
				s.Before("patch bucketclaims/status", func() { s.label(s.claim) })
			},
			want: phasetest.Outcome{Writes: []string{statusPatch + ": Conflict"}, Requeue: true},
		},
	}, (*attempt).syncStatus)
}
