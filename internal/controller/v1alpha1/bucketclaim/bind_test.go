package bucketclaim

import (
	"net/http"
	"testing"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2" // for the reasons, which both versions share
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

func TestCheckSpec(t *testing.T) {
	t.Parallel()
	neither := func(claim *v1alpha1.BucketClaim) { claim.Spec.BucketClassName = "" }
	both := func(claim *v1alpha1.BucketClaim) { claim.Spec.ExistingBucketName = "brown" }
	bound := func(claim *v1alpha1.BucketClaim) { claim.Status.BucketName = "b" }
	runTable(t, []phaseCase{
		{Name: "class", Reason: "it is for a new bucket", Given: func(s *scene) { s.hasClaim() }},
		{Name: "existing Bucket", Reason: "it is for that one", Given: func(s *scene) { s.hasClaim(s.ofExisting) }},
		{
			Name: "neither", Reason: "the API server does not check it",
			Given: func(s *scene) { s.hasClaim(neither) }, Want: found("Invalid", v1alpha2.ReasonInvalidSpec),
		},
		{Name: "neither, bound", Reason: "the claim keeps its Bucket", Given: func(s *scene) { s.hasClaim(neither, bound) }},
		{Name: "both, bound", Reason: "the claim keeps its Bucket", Given: func(s *scene) { s.hasClaim(both, bound) }},
		{
			Name: "neither, ready", Reason: "another client edited the status",
			Given: func(s *scene) { s.hasClaim(neither, ready) },
			Want: func() phasetest.Outcome {
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
			Name: "bound", Reason: "nothing is to be done",
			Given: func(s *scene) { s.hasClaim(); s.bind(); s.hasBucket() },
		},
		{
			Name: "bound to a Bucket of another name", Reason: "an earlier controller has created it, and the UID counts",
			Given: func(s *scene) {
				s.hasClaim(func(claim *v1alpha1.BucketClaim) { claim.Status.BucketName = s.Name("gold-1") })
				s.hasBucket(func(b *v1alpha1.Bucket) { b.Name = s.Name("gold-1") })
			},
		},
		{
			Name: "Bucket gone", Reason: "a new and empty Bucket would hide the loss",
			Given: func(s *scene) { s.hasClass(); s.hasClaim(); s.bind() },
			Want:  found("Lost", v1alpha2.ReasonBucketLost),
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
			Name: "Bucket of another claim", Reason: "its data is another user's",
			Given: func(s *scene) { s.hasClaim(); s.bind(); s.hasBucket(ofOther) },
			Want:  found("Lost", v1alpha2.ReasonBindingConflict),
		},
		{
			Name: "Bucket without a UID", Reason: "both were restored from a copy, and name each other",
			Given: func(s *scene) { s.hasClaim(); s.bind(); s.hasBucket(unbound) },
			Want: phasetest.Outcome{
				Writes:  []string{"patch buckets bucket-uid-photos (resourceVersion)"},
				Changes: []string{"Bucket bucket-uid-photos: spec.bucketClaim.uid=uid-photos"},
			},
		},
		{
			Name: "Bucket without a reference", Reason: "the claim did not release it",
			Given: func(s *scene) { s.hasClaim(); s.bind(); s.hasBucket(free) },
			Want:  found("Lost", v1alpha2.ReasonBindingConflict),
		},
		{
			Name: "cache fails", Reason: "nothing is concluded about the Bucket",
			Given: func(s *scene) { s.hasClaim(); s.bind(); s.FailReads(&v1alpha1.Bucket{}) },
			Want:  phasetest.Retried("Unreadable"),
		},
		{
			Name: "existing Bucket of another claim", Reason: "its data is another user's",
			Given: func(s *scene) { s.hasClaim(s.ofExisting); s.bind(); s.hasBucket(ofOther) },
			Want:  found("Lost", v1alpha2.ReasonBindingConflict),
		},
		{
			Name: "existing Bucket created again", Reason: "the administrator has restored it, so it is bound again",
			Given: func(s *scene) { s.hasClaim(s.ofExisting); s.bind(); s.hasBucket(unbound) },
			Want: phasetest.Outcome{
				Writes: []string{bucketPatch}, Changes: []string{"Bucket brown: spec.bucketClaim.uid=uid-photos"},
			},
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

func TestSyncStatus(t *testing.T) {
	t.Parallel()
	const isReady = "BucketClaim photos: status.bucketReady=true"
	down := func(o phasetest.Outcome) phasetest.Outcome {
		o.Writes, o.Changes = []string{statusPatch}, []string{unready}
		return o
	}
	runTable(t, []phaseCase{
		{Name: "new Bucket", Reason: "the claim waits for it", Given: func(s *scene) { s.hasClaim(); s.hasBucket(); s.bind() }},
		{
			Name: "ready Bucket", Reason: "the claim can be used, and its user is told",
			Given: func(s *scene) { s.hasClaim(); s.hasBucket(readyBucket); s.bind() },
			Want: phasetest.Outcome{
				Writes: []string{statusPatch}, Changes: []string{isReady}, Events: []string{"Normal Provisioned of BucketClaim photos"},
			},
		},
		{
			Name: "nothing new", Reason: "a settled claim is not written",
			Given: func(s *scene) { s.hasClaim(ready); s.hasBucket(readyBucket); s.bind() },
		},
		{
			Name: "Bucket not ready any more", Reason: "its status was edited, or it was created again",
			Given: func(s *scene) { s.hasClaim(ready); s.hasBucket(); s.bind() },
			Want:  down(phasetest.Outcome{}),
		},
		{
			Name: "deleting Bucket", Reason: "the claim must not get new users",
			Given: func(s *scene) { s.hasClaim(ready); s.hasBucket(readyBucket, going); s.bind() },
			Want:  down(found("Invalid", v1alpha2.ReasonBucketDeleting)),
		},
		{
			Name: "protocol that the Bucket lacks", Reason: "the spec of the claim is not immutable",
			Given: func(s *scene) { s.hasClaim(ready); s.hasBucket(readyBucket, forAzure); s.bind() },
		},
		{
			Name: "protocol that the Bucket lacks, strict", Reason: "the application cannot use it",
			Given: func(s *scene) { s.strict = true; s.hasClaim(ready); s.hasBucket(readyBucket, forAzure); s.bind() },
			Want:  down(found("Invalid", v1alpha2.ReasonProtocolNotSupported)),
		},
		{
			Name: "protocol in lower case", Reason: "elsewhere it is written so",
			Given: func(s *scene) {
				s.hasClaim(ready)
				s.hasBucket(readyBucket, func(b *v1alpha1.Bucket) { b.Spec.Protocols = []v1alpha1.Protocol{"s3"} })
				s.bind()
			},
		},
		{
			Name: "claim changed meanwhile", Reason: "the whole status is written again",
			Given: func(s *scene) {
				s.hasClaim()
				s.hasBucket(readyBucket)
				s.bind()
				s.Before("patch bucketclaims/status", func() { s.Label(s.claim) })
			},
			Want: phasetest.Outcome{Writes: []string{statusPatch + ": Conflict"}, Requeue: true},
		},
	}, (*attempt).syncStatus)
}
