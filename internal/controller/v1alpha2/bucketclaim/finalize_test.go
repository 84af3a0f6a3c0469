package bucketclaim

import (
	"context"
	"net/http"
	"testing"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

func TestConfirmExists(t *testing.T) {
	t.Parallel()
	runTable(t, []phaseCase{
		{Name: "the same claim", Reason: "its Bucket is still its own", Given: func(s *scene) { s.hasClaim(deleting) }},
		{
			Name: "claim changed meanwhile", Reason: "it still has the finalizer, and later writes are locked",
			Given: func(s *scene) { s.hasClaim(deleting); s.Behind(func() { s.Label(s.claim) }) },
		},
		{
			Name: "released, and kept by another component", Reason: "the Bucket is the administrator's by now",
			Given: func(s *scene) {
				s.hasClaim(audited, deleting)
				s.Behind(func() { s.Modify(s.claim, func() { s.claim.Finalizers = []string{phasetest.Foreign} }) })
			},
			Want: phasetest.Retried("Conflict"),
		},
		{
			Name: "gone", Reason: "the Bucket is the administrator's by now",
			Given: func(s *scene) { s.hasClaim(deleting); s.Behind(func() { s.ForceRemove(s.claim) }) },
			Want:  phasetest.Retried("NotFound"),
		},
		{
			Name: "created again", Reason: "the new claim has the finalizer, and another UID",
			Given: func(s *scene) { s.hasClaim(deleting); s.Behind(func() { s.replaceClaim() }) },
			Want:  phasetest.Retried("Conflict"),
		},
		{
			Name: "API server fails", Reason: "nothing is deleted on the word of the cache",
			Given: func(s *scene) { s.hasClaim(deleting); s.Reject("get bucketclaims", http.StatusInternalServerError) },
			Want:  failed(),
		},
	}, (*attempt).confirmExists)
}

// TestMarkUnready: the phase runs with removeFinalizer, after which nothing writes the status.
func TestMarkUnready(t *testing.T) {
	t.Parallel()
	ready := func(claim *v1alpha2.BucketClaim) { claim.Status.ReadyToUse = true }
	const released = `BucketClaim photos: metadata.finalizers=["example.com/audit"]`
	runTable(t, []phaseCase{
		{
			Name: "no other finalizer", Reason: "the claim vanishes, so the status is not worth a write",
			Given: func(s *scene) { s.hasClaim(ready, deleting) },
			Want:  phasetest.Outcome{Writes: []string{claimPatch}, Changes: []string{"BucketClaim photos is gone"}},
		},
		{
			Name: "another finalizer", Reason: "the claim must not get new users",
			Given: func(s *scene) { s.hasClaim(ready, audited, deleting) },
			Want: phasetest.Outcome{
				Writes:  []string{statusPatch, claimPatch},
				Changes: []string{released, "BucketClaim photos: status.readyToUse=false"},
			},
		},
		{
			Name: "another finalizer, not ready", Reason: "nothing is to be said",
			Given: func(s *scene) { s.hasClaim(audited, deleting) },
			Want:  phasetest.Outcome{Writes: []string{claimPatch}, Changes: []string{released}},
		},
		{
			Name: "API server fails", Reason: "the claim is not released with a status that is wrong",
			Given: func(s *scene) {
				s.hasClaim(ready, audited, deleting)
				s.Reject("patch bucketclaims/status", http.StatusInternalServerError)
			},
			Want: failed(statusPatch + phasetest.ServerFails),
		},
	}, (*attempt).markUnready, (*attempt).removeFinalizer)
}

// TestAnnotatedWhileUnready: the reconciler of accesses annotates the claim between the read and
// the write of the status. That write succeeds, and must not hide the annotation from the lock of
// the next one.
func TestAnnotatedWhileUnready(t *testing.T) {
	t.Parallel()
	annotates := func(a *attempt, ctx context.Context) error { return a.Protector.Protect(ctx, a.Object.DeepCopy()) }
	runTable(t, []phaseCase{{
		Name: "another finalizer", Reason: "an access needs the claim",
		Given: func(s *scene) {
			s.hasClaim(func(claim *v1alpha2.BucketClaim) { claim.Status.ReadyToUse = true }, audited, deleting)
		},
		Want: phasetest.Outcome{
			Writes: []string{"patch bucketclaims photos (uid)", statusPatch, claimPatch + ": Conflict"},
			Changes: []string{
				`BucketClaim photos: metadata.annotations.objectstorage.k8s.io/has-bucketaccess-references=""`,
				"BucketClaim photos: status.readyToUse=false",
			},
			Err: "Conflict", Requeue: true,
		},
	}}, annotates, (*attempt).markUnready, (*attempt).removeFinalizer)
}

const (
	announce    = "patch buckets bc-uid-photos (resourceVersion)"
	deletes     = "delete buckets bc-uid-photos (uid, resourceVersion)"
	isAnnounced = `Bucket bc-uid-photos: metadata.annotations.objectstorage.k8s.io/bucketclaim-being-deleted=""`
	isDeleting  = "Bucket bc-uid-photos: metadata.deletionTimestamp=now"
	isGone      = "Bucket bc-uid-photos is gone"
	misspelt    = v1alpha2.MisspeltBucketClaimBeingDeletedAnnotation
)

// kept: a sidecar keeps the Bucket.
func kept(b *v1alpha2.Bucket) { b.Finalizers = []string{v1alpha2.ProtectionFinalizer} }

func TestDeleteBucket(t *testing.T) {
	t.Parallel()
	both := phasetest.Outcome{Writes: []string{announce, deletes}, Changes: []string{isAnnounced, isDeleting}}
	runTable(t, []phaseCase{
		{Name: "no Bucket", Reason: "nothing is to be done", Given: func(s *scene) { s.hasClaim(deleting) }},
		{
			Name: "policy Delete", Reason: "the announcement comes first: the sidecar keeps a Bucket whose claim stays",
			Given: func(s *scene) { s.hasClaim(deleting); s.hasBucket(kept) },
			Want:  both,
		},
		{
			Name: "Bucket that the cache does not have", Reason: "it would never be announced once the claim is released",
			Given: func(s *scene) { s.hasClaim(deleting); s.Behind(func() { s.hasBucket(kept) }) },
			Want:  both,
		},
		{
			Name: "Bucket that no sidecar has seen", Reason: "it has no finalizer, and vanishes",
			Given: func(s *scene) { s.hasClaim(deleting); s.hasBucket() },
			Want:  phasetest.Outcome{Writes: []string{announce, deletes}, Changes: []string{isGone}},
		},
		{
			Name: "policy Retain", Reason: "the Bucket is announced, so that an administrator can delete it",
			Given: func(s *scene) { s.hasClaim(deleting); s.hasBucket(kept, retained) },
			Want:  phasetest.Outcome{Writes: []string{announce}, Changes: []string{isAnnounced}},
		},
		{
			Name: "existing Bucket with policy Delete", Reason: "COSI must not delete a bucket that it did not create",
			Given: func(s *scene) { s.hasClaim(s.ofExisting, deleting); s.hasBucket(kept, deleted) },
			Want: phasetest.Outcome{
				Writes:  []string{bucketPatch},
				Changes: []string{`Bucket brown: metadata.annotations.objectstorage.k8s.io/bucketclaim-being-deleted=""`},
			},
		},
		{
			Name: "announced", Reason: "an interrupted reconcile has done it; only the deletion is missing",
			Given: func(s *scene) { s.hasClaim(deleting); s.hasBucket(kept, announced) },
			Want:  phasetest.Outcome{Writes: []string{deletes}, Changes: []string{isDeleting}},
		},
		{
			Name: "announced with the KEP's misspelling", Reason: "that annotation is honoured, and the right one is added",
			Given: func(s *scene) {
				s.hasClaim(deleting)
				s.hasBucket(kept, func(b *v1alpha2.Bucket) { b.Annotations = map[string]string{misspelt: ""} })
			},
			Want: both,
		},
		{
			Name: "announced and deleting", Reason: "the Bucket reports its progress itself",
			Given: func(s *scene) { s.hasClaim(deleting); s.hasBucket(going, announced) },
		},
		{
			Name: "deleting", Reason: "the sidecar waits for the announcement",
			Given: func(s *scene) { s.hasClaim(deleting); s.hasBucket(going) },
			Want:  phasetest.Outcome{Writes: []string{announce}, Changes: []string{isAnnounced}},
		},
		{
			Name: "Bucket of another claim", Reason: "a claim that never had it can go, and the Bucket is not touched",
			Given: func(s *scene) { s.hasClaim(deleting); s.hasBucket(ofOther) },
		},
		{
			Name: "existing Bucket of another claim", Reason: "the claim can go, and the Bucket is not touched",
			Given: func(s *scene) { s.hasClaim(s.ofExisting, deleting); s.bind(); s.hasBucket(ofOther) },
		},
		{
			Name: "existing Bucket without a UID", Reason: "it was never bound, and the Bucket is not touched",
			Given: func(s *scene) { s.hasClaim(s.ofExisting, deleting); s.hasBucket(unbound) },
		},
		{
			Name: "Bucket of another claim, which the claim had", Reason: "an administrator should know before the last trace is gone",
			Given: func(s *scene) { s.hasClaim(deleting); s.bind(); s.hasBucket(ofOther) },
			Want: phasetest.Outcome{
				Writes:     []string{statusPatch},
				Conditions: []string{"Provisioned=False BindingConflict", "ResourcesValidated=False BindingConflict"},
				Events:     []string{"Warning FailedDeleteBucket of BucketClaim photos"},
				Err:        "Lost BindingConflict",
			},
		},
		{
			Name: "Bucket changed before the announcement", Reason: "it may be another one, or another claim's",
			Given: func(s *scene) {
				s.hasClaim(deleting)
				s.hasBucket(kept)
				s.Before("patch buckets", func() { s.Label(s.bucket) })
			},
			Want: phasetest.Retried("Conflict", announce+": Conflict"),
		},
		{
			Name: "policy changed before the deletion", Reason: "the data of a Bucket that is retained by now must stay",
			Given: func(s *scene) {
				s.hasClaim(deleting)
				s.hasBucket(kept)
				s.Before("delete buckets", func() { s.Modify(s.bucket, func() { retained(s.bucket) }) })
			},
			Want: phasetest.Retried("Conflict", announce, deletes+": Conflict"),
		},
		{
			Name: "Bucket created again before the deletion", Reason: "the new one is not the one that was announced",
			Given: func(s *scene) {
				s.hasClaim(deleting)
				s.hasBucket()
				s.Before("delete buckets", func() { s.Remove(s.bucket); s.hasBucket() })
			},
			Want: phasetest.Retried("Conflict", announce, deletes+": Conflict"),
		},
		{
			Name: "Bucket gone before the deletion", Reason: "nothing is left to delete",
			Given: func(s *scene) {
				s.hasClaim(deleting)
				s.hasBucket()
				s.Before("delete buckets", func() { s.Remove(s.bucket) })
			},
			Want: phasetest.Outcome{Writes: []string{announce, deletes + ": Not Found"}},
		},
		{
			Name: "API server fails to read", Reason: "the claim must not go before its Bucket is announced",
			Given: func(s *scene) { s.hasClaim(deleting); s.Reject("get buckets", http.StatusInternalServerError) },
			Want:  failed(),
		},
		{
			Name: "API server fails to announce", Reason: "the claim must not go before its Bucket is announced",
			Given: func(s *scene) {
				s.hasClaim(deleting)
				s.hasBucket(kept)
				s.Reject("patch buckets", http.StatusInternalServerError)
			},
			Want: failed(announce + phasetest.ServerFails),
		},
		{
			Name: "API server fails to delete", Reason: "the claim must not go before its Bucket is deleting",
			Given: func(s *scene) {
				s.hasClaim(deleting)
				s.hasBucket(kept, announced)
				s.Reject("delete buckets", http.StatusInternalServerError)
			},
			Want: failed(deletes + phasetest.ServerFails),
		},
	}, (*attempt).deleteBucket)
}

func TestRemoveFinalizer(t *testing.T) {
	t.Parallel()
	runTable(t, []phaseCase{
		{
			Name: "ours only", Reason: "the claim vanishes, and its status is not written",
			Given: func(s *scene) { s.hasClaim(deleting) },
			Want:  phasetest.Outcome{Writes: []string{claimPatch}, Changes: []string{"BucketClaim photos is gone"}},
		},
		{
			Name: "another component's", Reason: "it stays",
			Given: func(s *scene) { s.hasClaim(audited, deleting) },
			Want: phasetest.Outcome{
				Writes: []string{claimPatch}, Changes: []string{`BucketClaim photos: metadata.finalizers=["example.com/audit"]`},
			},
		},
		{
			Name: "annotated meanwhile", Reason: "an access has come to need the claim",
			Given: func(s *scene) {
				s.hasClaim(deleting)
				s.Behind(func() { s.Modify(s.claim, func() { protected(s.claim) }) })
			},
			Want: phasetest.Retried("Conflict", claimPatch+": Conflict"),
		},
		{
			Name: "created again meanwhile", Reason: "the new claim keeps its finalizer",
			Given: func(s *scene) { s.hasClaim(deleting); s.Behind(func() { s.replaceClaim() }) },
			Want:  phasetest.Retried("Conflict", claimPatch+": Conflict"),
		},
		{
			Name: "gone meanwhile", Reason: "nothing is left to release",
			Given: func(s *scene) { s.hasClaim(deleting); s.Behind(func() { s.ForceRemove(s.claim) }) },
			Want:  phasetest.Retried("NotFound", claimPatch+": Not Found"),
		},
		{
			Name: "API server fails", Reason: "it is tried again",
			Given: func(s *scene) { s.hasClaim(deleting); s.Reject("patch bucketclaims", http.StatusInternalServerError) },
			Want:  failed(claimPatch + phasetest.ServerFails),
		},
	}, (*attempt).removeFinalizer)
}
