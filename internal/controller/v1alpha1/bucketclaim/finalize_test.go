package bucketclaim

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2" // for the reasons, which both versions share
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

func TestAwaitAccesses(t *testing.T) {
	t.Parallel()
	blocked := waiting("Blocked", v1alpha2.ReasonDeletionBlocked)
	runTable(t, []phaseCase{
		{Name: "no access", Reason: "the claim can go", Given: func(s *scene) { s.hasClaim(deleting) }},
		{
			Name: "access", Reason: "it would wait for a bucket that never comes back, even if it was never granted",
			Given: func(s *scene) { s.hasClaim(deleting); s.hasAccess() },
			Want:  blocked,
		},
		{
			Name: "granted access", Reason: "it has credentials",
			Given: func(s *scene) {
				s.hasClaim(deleting)
				s.hasAccess(func(access *v1alpha1.BucketAccess) { access.Status.AccessGranted = true })
			},
			Want: blocked,
		},
		{
			Name: "access to another claim", Reason: "it does not need this one",
			Given: func(s *scene) { s.hasClaim(deleting); s.hasAccess(toOtherClaim) },
		},
		{
			Name: "access, and a claim that is ready", Reason: "it must not get new users",
			Given: func(s *scene) { s.hasClaim(ready, deleting); s.hasAccess() },
			Want: func() phasetest.Outcome {
				o := blocked
				o.Writes, o.Changes = []string{statusPatch}, []string{unready}
				return o
			}(),
		},
	}, (*attempt).awaitAccesses)
}

// TestBlockedBy: the message about a blocked deletion has limited length.
func TestBlockedBy(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name     string
		accesses []string
		want     string
	}{
		{"none", nil, ""},
		{"several", []string{"b", "c", "a"}, "deletion waits for BucketAccess a, b, c"},
		{"more than are named", []string{"b", "c", "d", "a"}, "deletion waits for BucketAccess a, b, c and others"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var accesses []v1alpha1.BucketAccess
			for _, name := range tc.accesses {
				accesses = append(accesses, v1alpha1.BucketAccess{ObjectMeta: metav1.ObjectMeta{Name: name}})
			}
			got := ""
			if blocked, ok := reasons.As(blockedBy(accesses)); ok {
				got = blocked.Message
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("what the deletion waits for (-want +got):\n%s", diff)
			}
		})
	}
}

const (
	deletes    = "delete buckets bucket-uid-photos (uid, resourceVersion)"
	isDeleting = "Bucket bucket-uid-photos: metadata.deletionTimestamp=now"
	isGone     = "Bucket bucket-uid-photos is gone"
)

func TestRemoveBuckets(t *testing.T) {
	t.Parallel()
	blocked := waiting("Blocked", v1alpha2.ReasonDeletionBlocked)
	deletion := blocked
	deletion.Writes, deletion.Changes = []string{deletes}, []string{isDeleting}
	gone := phasetest.Outcome{Writes: []string{deletes}, Changes: []string{isGone}}
	released := phasetest.Outcome{
		Writes: []string{bucketPatch},
		Changes: []string{
			"Bucket brown: spec.bucketClaim.apiVersion is removed",
			"Bucket brown: spec.bucketClaim.kind is removed",
			"Bucket brown: spec.bucketClaim.name is removed",
			"Bucket brown: spec.bucketClaim.namespace is removed",
			"Bucket brown: spec.bucketClaim.uid is removed",
		},
	}
	runTable(t, []phaseCase{
		{Name: "no Bucket", Reason: "nothing is to be done", Given: func(s *scene) { s.hasClaim(deleting) }},
		{
			Name: "policy Delete", Reason: "the claim waits until the policy is carried out",
			Given: func(s *scene) { s.hasClaim(deleting); s.hasBucket(kept) },
			Want:  deletion,
		},
		{
			Name: "policy Retain", Reason: "the sidecar keeps the backend bucket; nothing else would remove the Bucket",
			Given: func(s *scene) { s.hasClaim(deleting); s.hasBucket(kept, retained) },
			Want:  deletion,
		},
		{
			Name: "Bucket that the cache does not have", Reason: "it would stay when the claim is gone",
			Given: func(s *scene) { s.hasClaim(deleting); s.Behind(func() { s.hasBucket(kept) }) },
			Want:  deletion,
		},
		{
			Name: "Bucket that no sidecar has seen", Reason: "it has no finalizer, and vanishes",
			Given: func(s *scene) { s.hasClaim(deleting); s.hasBucket() },
			Want:  gone,
		},
		{
			Name: "deleting Bucket", Reason: "the end of the Bucket causes the next reconcile",
			Given: func(s *scene) { s.hasClaim(deleting); s.hasBucket(going) },
			Want:  blocked,
		},
		{
			Name: "Bucket of another claim", Reason: "it is left alone",
			Given: func(s *scene) { s.hasClaim(deleting); s.bind(); s.hasBucket(ofOther) },
		},
		{
			Name: "existing Bucket", Reason: "another claim can bind it",
			Given: func(s *scene) { s.hasClaim(s.ofExisting, deleting); s.hasBucket(kept) },
			Want:  released,
		},
		{
			Name: "existing Bucket with policy Delete", Reason: "the administrator has asked for it",
			Given: func(s *scene) { s.hasClaim(s.ofExisting, deleting); s.hasBucket(kept, deleted) },
			Want: func() phasetest.Outcome {
				o := blocked
				o.Writes = []string{"delete buckets brown (uid, resourceVersion)"}
				o.Changes = []string{"Bucket brown: metadata.deletionTimestamp=now"}
				return o
			}(),
		},
		{
			Name: "existing Bucket of an edited claim", Reason: "what the claim is bound to counts, and not only its spec",
			Given: func(s *scene) {
				s.hasClaim(s.ofExisting, deleting)
				s.hasBucket(kept)
				s.bind()
				s.Modify(s.claim, func() { s.claim.Spec.ExistingBucketName, s.claim.Spec.BucketClassName = "", "gold" })
			},
			Want: released,
		},
		{
			Name: "access that the cache does not have", Reason: "the bucket would be deleted under it; the two disagree",
			Given: func(s *scene) { s.hasClaim(deleting); s.hasBucket(kept); s.Behind(func() { s.hasAccess() }) },
			Want: func() phasetest.Outcome {
				o := blocked
				o.Requeue = true
				return o
			}(),
		},
		{
			Name: "access to another claim", Reason: "it does not need this Bucket",
			Given: func(s *scene) { s.hasClaim(deleting); s.hasBucket(); s.hasAccess(toOtherClaim) },
			Want:  gone,
		},
		{
			Name: "policy changed before the deletion", Reason: "the decision was another one",
			Given: func(s *scene) {
				s.hasClaim(deleting)
				s.hasBucket(kept)
				s.Before("delete buckets", func() { s.Modify(s.bucket, func() { retained(s.bucket) }) })
			},
			Want: phasetest.Retried("Conflict", deletes+": Conflict"),
		},
		{
			Name: "policy changed before the release", Reason: "the lock keeps a Bucket that is to be deleted by now",
			Given: func(s *scene) {
				s.hasClaim(s.ofExisting, deleting)
				s.hasBucket(kept)
				s.Before("patch buckets", func() { s.Modify(s.bucket, func() { deleted(s.bucket) }) })
			},
			Want: phasetest.Retried("Conflict", bucketPatch+": Conflict"),
		},
		{
			Name: "Bucket gone before the deletion", Reason: "nothing is left to delete",
			Given: func(s *scene) {
				s.hasClaim(deleting)
				s.hasBucket()
				s.Before("delete buckets", func() { s.Remove(s.bucket) })
			},
			Want: phasetest.Outcome{Writes: []string{deletes + ": Not Found"}},
		},
		{
			Name: "Bucket created again after the deletion", Reason: "the new one is not this claim's to wait for",
			Given: func(s *scene) {
				s.hasClaim(deleting)
				s.hasBucket()
				s.Before("delete buckets", func() { s.Before("get buckets", func() { s.hasBucket(ofOther) }) })
			},
			Want: phasetest.Outcome{Writes: []string{deletes}},
		},
		{
			Name: "API server fails to read the Bucket", Reason: "it would stay when the claim is gone",
			Given: func(s *scene) { s.hasClaim(deleting); s.Reject("get buckets", http.StatusInternalServerError) },
			Want:  failed(),
		},
		{
			Name: "API server fails to list accesses", Reason: "the bucket may be in use",
			Given: func(s *scene) {
				s.hasClaim(deleting)
				s.hasBucket()
				s.Reject("get bucketaccesses", http.StatusInternalServerError)
			},
			Want: failed(),
		},
		{
			Name: "API server fails to delete", Reason: "the claim stays",
			Given: func(s *scene) {
				s.hasClaim(deleting)
				s.hasBucket()
				s.Reject("delete buckets", http.StatusInternalServerError)
			},
			Want: failed(deletes + phasetest.ServerFails),
		},
		{
			Name: "API server fails to release", Reason: "the claim stays",
			Given: func(s *scene) {
				s.hasClaim(s.ofExisting, deleting)
				s.hasBucket()
				s.Reject("patch buckets", http.StatusInternalServerError)
			},
			Want: failed(bucketPatch + phasetest.ServerFails),
		},
		{
			Name: "API server fails to confirm the deletion", Reason: "the claim stays",
			Given: func(s *scene) {
				s.hasClaim(deleting)
				s.hasBucket(kept)
				s.Before("delete buckets", func() { s.Reject("get buckets", http.StatusInternalServerError) })
			},
			Want: func() phasetest.Outcome {
				o := failed(deletes)
				o.Changes = []string{isDeleting}
				return o
			}(),
		},
	}, (*attempt).removeBuckets)
}

// TestMarkUnready: the phase runs with removeFinalizer, after which nothing writes the status.
func TestMarkUnready(t *testing.T) {
	t.Parallel()
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
			Want:  phasetest.Outcome{Writes: []string{statusPatch, claimPatch}, Changes: []string{released, unready}},
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

func TestRemoveFinalizer(t *testing.T) {
	t.Parallel()
	runTable(t, []phaseCase{
		{
			Name: "claim changed meanwhile", Reason: "finalizers are a list",
			Given: func(s *scene) { s.hasClaim(deleting); s.Behind(func() { s.Label(s.claim) }) },
			Want:  phasetest.Retried("Conflict", claimPatch+": Conflict"),
		},
		{
			Name: "gone meanwhile", Reason: "nothing is left to release",
			Given: func(s *scene) { s.hasClaim(deleting); s.Behind(func() { s.ForceRemove(s.claim) }) },
			Want:  phasetest.Retried("NotFound", claimPatch+": Not Found"),
		},
		{
			Name: "created again meanwhile", Reason: "the new claim keeps its finalizer",
			Given: func(s *scene) { s.hasClaim(deleting); s.Behind(func() { s.replaceClaim() }) },
			Want:  phasetest.Retried("Conflict", claimPatch+": Conflict"),
		},
	}, (*attempt).removeFinalizer)
}
