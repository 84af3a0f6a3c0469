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
		{name: "the same claim", reason: "its Bucket is still its own", given: func(s *scene) { s.hasClaim(deleting) }},
		{
			name: "claim changed meanwhile", reason: "it still has the finalizer, and later writes are locked",
			given: func(s *scene) { s.hasClaim(deleting); s.Behind(func() { s.label(s.claim) }) },
		},
		{
			name: "released, and kept by another component", reason: "the Bucket is the administrator's by now",
			given: func(s *scene) {
				s.hasClaim(audited, deleting)
				s.Behind(func() { s.Modify(s.claim, func() { s.claim.Finalizers = []string{foreign} }) })
			},
			want: phasetest.Retried("Conflict"),
		},
		{
			name: "gone", reason: "the Bucket is the administrator's by now",
			given: func(s *scene) { s.hasClaim(deleting); s.Behind(func() { s.ForceRemove(s.claim) }) },
			want:  phasetest.Retried("NotFound"),
		},
		{
			name: "created again", reason: "the new claim has the finalizer, and another UID",
			given: func(s *scene) { s.hasClaim(deleting); s.Behind(func() { s.replaceClaim() }) },
			want:  phasetest.Retried("Conflict"),
		},
		{
			name: "API server fails", reason: "nothing is deleted on the word of the cache",
			given: func(s *scene) { s.hasClaim(deleting); s.Reject("get bucketclaims", http.StatusInternalServerError) },
			want:  failed(),
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
			name: "no other finalizer", reason: "the claim vanishes, so the status is not worth a write",
			given: func(s *scene) { s.hasClaim(ready, deleting) },
			want:  phasetest.Outcome{Writes: []string{claimPatch}, Changes: []string{"BucketClaim photos is gone"}},
		},
		{
			name: "another finalizer", reason: "the claim must not get new users",
			given: func(s *scene) { s.hasClaim(ready, audited, deleting) },
			want: phasetest.Outcome{
				Writes:  []string{statusPatch, claimPatch},
				Changes: []string{released, "BucketClaim photos: status.readyToUse=false"},
			},
		},
		{
			name: "another finalizer, not ready", reason: "nothing is to be said",
			given: func(s *scene) { s.hasClaim(audited, deleting) },
			want:  phasetest.Outcome{Writes: []string{claimPatch}, Changes: []string{released}},
		},
		{
			name: "API server fails", reason: "the claim is not released with a status that is wrong",
			given: func(s *scene) {
				s.hasClaim(ready, audited, deleting)
				s.Reject("patch bucketclaims/status", http.StatusInternalServerError)
			},
			want: failed(statusPatch + ": Internal Server Error"),
		},
	}, (*attempt).markUnready, (*attempt).removeFinalizer)
}

// TestAnnotatedWhileUnready: the reconciler of accesses annotates the claim between the read
// and the write of the status. That write succeeds, and must not hide the annotation from
// the lock of the next one.
func TestAnnotatedWhileUnready(t *testing.T) {
	t.Parallel()
	annotates := func(a *attempt, ctx context.Context) error { return a.Protector.Protect(ctx, a.Object.DeepCopy()) }
	runTable(t, []phaseCase{{
		name: "another finalizer", reason: "an access needs the claim",
		given: func(s *scene) {
			s.hasClaim(func(claim *v1alpha2.BucketClaim) { claim.Status.ReadyToUse = true }, audited, deleting)
		},
		want: phasetest.Outcome{
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
	announce      = "patch buckets bc-uid-photos (resourceVersion)"
	deletes       = "delete buckets bc-uid-photos (uid, resourceVersion)"
	isAnnounced   = `Bucket bc-uid-photos: metadata.annotations.objectstorage.k8s.io/bucketclaim-being-deleted=""`
	isDeleting    = "Bucket bc-uid-photos: metadata.deletionTimestamp=now"
	isGone        = "Bucket bc-uid-photos is gone"
	misspelt      = v1alpha2.MisspeltBucketClaimBeingDeletedAnnotation
	serverFailure = ": Internal Server Error"
)

// kept has a sidecar keep a Bucket.
func kept(b *v1alpha2.Bucket) { b.Finalizers = []string{v1alpha2.ProtectionFinalizer} }

func TestDeleteBucket(t *testing.T) {
	t.Parallel()
	both := phasetest.Outcome{Writes: []string{announce, deletes}, Changes: []string{isAnnounced, isDeleting}}
	runTable(t, []phaseCase{
		{name: "no Bucket", reason: "nothing is to be done", given: func(s *scene) { s.hasClaim(deleting) }},
		{
			name: "policy Delete", reason: "the announcement comes first: the sidecar keeps a Bucket whose claim stays",
			given: func(s *scene) { s.hasClaim(deleting); s.hasBucket(kept) },
			want:  both,
		},
		{
			name: "Bucket that the cache does not have", reason: "it would never be announced once the claim is released",
			given: func(s *scene) { s.hasClaim(deleting); s.Behind(func() { s.hasBucket(kept) }) },
			want:  both,
		},
		{
			name: "Bucket that no sidecar has seen", reason: "it has no finalizer, and vanishes",
			given: func(s *scene) { s.hasClaim(deleting); s.hasBucket() },
			want:  phasetest.Outcome{Writes: []string{announce, deletes}, Changes: []string{isGone}},
		},
		{
			name: "policy Retain", reason: "the Bucket is announced, so that an administrator can delete it",
			given: func(s *scene) { s.hasClaim(deleting); s.hasBucket(kept, retained) },
			want:  phasetest.Outcome{Writes: []string{announce}, Changes: []string{isAnnounced}},
		},
		{
			name: "existing Bucket with policy Delete", reason: "COSI must not delete what it did not create",
			given: func(s *scene) { s.hasClaim(s.ofExisting, deleting); s.hasBucket(kept, deleted) },
			want: phasetest.Outcome{
				Writes:  []string{bucketPatch},
				Changes: []string{`Bucket brown: metadata.annotations.objectstorage.k8s.io/bucketclaim-being-deleted=""`},
			},
		},
		{
			name: "announced", reason: "an interrupted reconcile has done it; only the deletion is missing",
			given: func(s *scene) { s.hasClaim(deleting); s.hasBucket(kept, announced) },
			want:  phasetest.Outcome{Writes: []string{deletes}, Changes: []string{isDeleting}},
		},
		{
			name: "announced with the KEP's misspelling", reason: "that annotation is honoured, and the right one is added",
			given: func(s *scene) {
				s.hasClaim(deleting)
				s.hasBucket(kept, func(b *v1alpha2.Bucket) { b.Annotations = map[string]string{misspelt: ""} })
			},
			want: both,
		},
		{
			name: "announced and deleting", reason: "the Bucket reports its progress itself",
			given: func(s *scene) { s.hasClaim(deleting); s.hasBucket(going, announced) },
		},
		{
			name: "deleting", reason: "the sidecar waits for the announcement",
			given: func(s *scene) { s.hasClaim(deleting); s.hasBucket(going) },
			want:  phasetest.Outcome{Writes: []string{announce}, Changes: []string{isAnnounced}},
		},
		{
			name: "Bucket of another claim", reason: "a claim that never had it can go, and the Bucket is not touched",
			given: func(s *scene) { s.hasClaim(deleting); s.hasBucket(ofOther) },
		},
		{
			name: "existing Bucket of another claim", reason: "the claim can go, and the Bucket is not touched",
			given: func(s *scene) { s.hasClaim(s.ofExisting, deleting); s.bind(); s.hasBucket(ofOther) },
		},
		{
			name: "existing Bucket without a UID", reason: "it was never bound, and the Bucket is not touched",
			given: func(s *scene) { s.hasClaim(s.ofExisting, deleting); s.hasBucket(unbound) },
		},
		{
			name: "Bucket of another claim, which the claim had", reason: "an administrator should know before the last trace is gone",
			given: func(s *scene) { s.hasClaim(deleting); s.bind(); s.hasBucket(ofOther) },
			want: phasetest.Outcome{
				Writes:     []string{statusPatch},
				Conditions: []string{"Provisioned=False BindingConflict", "ResourcesValidated=False BindingConflict"},
				Events:     []string{"Warning FailedDeleteBucket of BucketClaim photos"},
				Err:        "Lost BindingConflict",
			},
		},
		{
			name: "Bucket changed before the announcement", reason: "it may be another one, or another claim's",
			given: func(s *scene) {
				s.hasClaim(deleting)
				s.hasBucket(kept)
				s.Before("patch buckets", func() { s.label(s.bucket) })
			},
			want: phasetest.Retried("Conflict", announce+": Conflict"),
		},
		{
			name: "policy changed before the deletion", reason: "the data of a Bucket that is retained by now must stay",
			given: func(s *scene) {
				s.hasClaim(deleting)
				s.hasBucket(kept)
				s.Before("delete buckets", func() { s.Modify(s.bucket, func() { retained(s.bucket) }) })
			},
			want: phasetest.Retried("Conflict", announce, deletes+": Conflict"),
		},
		{
			name: "Bucket created again before the deletion", reason: "the new one is not the one that was announced",
			given: func(s *scene) {
				s.hasClaim(deleting)
				s.hasBucket()
				s.Before("delete buckets", func() { s.Remove(s.bucket); s.hasBucket() })
			},
			want: phasetest.Retried("Conflict", announce, deletes+": Conflict"),
		},
		{
			name: "Bucket gone before the deletion", reason: "nothing is left to delete",
			given: func(s *scene) {
				s.hasClaim(deleting)
				s.hasBucket()
				s.Before("delete buckets", func() { s.Remove(s.bucket) })
			},
			want: phasetest.Outcome{Writes: []string{announce, deletes + ": Not Found"}},
		},
		{
			name: "API server fails to read", reason: "the claim must not go before its Bucket is announced",
			given: func(s *scene) { s.hasClaim(deleting); s.Reject("get buckets", http.StatusInternalServerError) },
			want:  failed(),
		},
		{
			name: "API server fails to announce", reason: "the claim must not go before its Bucket is announced",
			given: func(s *scene) {
				s.hasClaim(deleting)
				s.hasBucket(kept)
				s.Reject("patch buckets", http.StatusInternalServerError)
			},
			want: failed(announce + serverFailure),
		},
		{
			name: "API server fails to delete", reason: "the claim must not go before its Bucket is deleting",
			given: func(s *scene) {
				s.hasClaim(deleting)
				s.hasBucket(kept, announced)
				s.Reject("delete buckets", http.StatusInternalServerError)
			},
			want: failed(deletes + serverFailure),
		},
	}, (*attempt).deleteBucket)
}

func TestRemoveFinalizer(t *testing.T) {
	t.Parallel()
	runTable(t, []phaseCase{
		{
			name: "ours only", reason: "the claim vanishes, and its status is not written",
			given: func(s *scene) { s.hasClaim(deleting) },
			want:  phasetest.Outcome{Writes: []string{claimPatch}, Changes: []string{"BucketClaim photos is gone"}},
		},
		{
			name: "another component's", reason: "it stays",
			given: func(s *scene) { s.hasClaim(audited, deleting) },
			want: phasetest.Outcome{
				Writes: []string{claimPatch}, Changes: []string{`BucketClaim photos: metadata.finalizers=["example.com/audit"]`},
			},
		},
		{
			name: "annotated meanwhile", reason: "an access has come to need the claim",
			given: func(s *scene) {
				s.hasClaim(deleting)
				s.Behind(func() { s.Modify(s.claim, func() { protected(s.claim) }) })
			},
			want: phasetest.Retried("Conflict", claimPatch+": Conflict"),
		},
		{
			name: "created again meanwhile", reason: "the new claim keeps its finalizer",
			given: func(s *scene) { s.hasClaim(deleting); s.Behind(func() { s.replaceClaim() }) },
			want:  phasetest.Retried("Conflict", claimPatch+": Conflict"),
		},
		{
			name: "gone meanwhile", reason: "nothing is left to release",
			given: func(s *scene) { s.hasClaim(deleting); s.Behind(func() { s.ForceRemove(s.claim) }) },
			want:  phasetest.Retried("NotFound", claimPatch+": Not Found"),
		},
		{
			name: "API server fails", reason: "it is tried again",
			given: func(s *scene) { s.hasClaim(deleting); s.Reject("patch bucketclaims", http.StatusInternalServerError) },
			want:  failed(claimPatch + serverFailure),
		},
	}, (*attempt).removeFinalizer)
}
