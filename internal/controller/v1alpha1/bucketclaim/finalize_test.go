package bucketclaim

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2" // for the reasons, which are those of both versions
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

func TestAwaitAccesses(t *testing.T) {
	t.Parallel()
	blocked := waiting("Blocked", v1alpha2.ReasonDeletionBlocked)
	runTable(t, []phaseCase{
		{name: "no access", reason: "the claim can go", given: func(s *scene) { s.hasClaim(deleting) }},
		{
			name: "access", reason: "it would wait for a bucket that never comes back, even if it was never granted",
			given: func(s *scene) { s.hasClaim(deleting); s.hasAccess() },
			want:  blocked,
		},
		{
			name: "granted access", reason: "it has credentials",
			given: func(s *scene) {
				s.hasClaim(deleting)
				s.hasAccess(func(access *v1alpha1.BucketAccess) { access.Status.AccessGranted = true })
			},
			want: blocked,
		},
		{
			name: "access to another claim", reason: "it does not need this one",
			given: func(s *scene) { s.hasClaim(deleting); s.hasAccess(toOtherClaim) },
		},
		{
			name: "access, and a claim that is ready", reason: "it must not get new users",
			given: func(s *scene) { s.hasClaim(ready, deleting); s.hasAccess() },
			want: func() phasetest.Outcome {
				o := blocked
				o.Writes, o.Changes = []string{statusPatch}, []string{unready}
				return o
			}(),
		},
	}, (*attempt).awaitAccesses)
}

// TestBlockedBy: the message that says what blocks a deletion is of bounded length.
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
		{name: "no Bucket", reason: "nothing is to be done", given: func(s *scene) { s.hasClaim(deleting) }},
		{
			name: "policy Delete", reason: "the claim waits until the policy is carried out",
			given: func(s *scene) { s.hasClaim(deleting); s.hasBucket(kept) },
			want:  deletion,
		},
		{
			name: "policy Retain", reason: "the sidecar keeps the backend bucket; nothing else would remove the Bucket",
			given: func(s *scene) { s.hasClaim(deleting); s.hasBucket(kept, retained) },
			want:  deletion,
		},
		{
			name: "Bucket that the cache does not have", reason: "it would stay when the claim is gone",
			given: func(s *scene) { s.hasClaim(deleting); s.Behind(func() { s.hasBucket(kept) }) },
			want:  deletion,
		},
		{
			name: "Bucket that no sidecar has seen", reason: "it has no finalizer, and vanishes",
			given: func(s *scene) { s.hasClaim(deleting); s.hasBucket() },
			want:  gone,
		},
		{
			name: "deleting Bucket", reason: "the end of the Bucket causes the next reconcile",
			given: func(s *scene) { s.hasClaim(deleting); s.hasBucket(going) },
			want:  blocked,
		},
		{
			name: "Bucket of another claim", reason: "it is left alone",
			given: func(s *scene) { s.hasClaim(deleting); s.bind(); s.hasBucket(ofOther) },
		},
		{
			name: "existing Bucket", reason: "another claim can bind it",
			given: func(s *scene) { s.hasClaim(s.ofExisting, deleting); s.hasBucket(kept) },
			want:  released,
		},
		{
			name: "existing Bucket with policy Delete", reason: "the administrator has asked for it",
			given: func(s *scene) { s.hasClaim(s.ofExisting, deleting); s.hasBucket(kept, deleted) },
			want: func() phasetest.Outcome {
				o := blocked
				o.Writes = []string{"delete buckets brown (uid, resourceVersion)"}
				o.Changes = []string{"Bucket brown: metadata.deletionTimestamp=now"}
				return o
			}(),
		},
		{
			name: "existing Bucket of an edited claim", reason: "what the claim is bound to counts, and not only its spec",
			given: func(s *scene) {
				s.hasClaim(s.ofExisting, deleting)
				s.hasBucket(kept)
				s.bind()
				s.Modify(s.claim, func() { s.claim.Spec.ExistingBucketName, s.claim.Spec.BucketClassName = "", "gold" })
			},
			want: released,
		},
		{
			name: "access that the cache does not have", reason: "the bucket would be deleted under it; the two disagree",
			given: func(s *scene) { s.hasClaim(deleting); s.hasBucket(kept); s.Behind(func() { s.hasAccess() }) },
			want: func() phasetest.Outcome {
				o := blocked
				o.Requeue = true
				return o
			}(),
		},
		{
			name: "access to another claim", reason: "it does not need this Bucket",
			given: func(s *scene) { s.hasClaim(deleting); s.hasBucket(); s.hasAccess(toOtherClaim) },
			want:  gone,
		},
		{
			name: "policy changed before the deletion", reason: "the decision was another one",
			given: func(s *scene) {
				s.hasClaim(deleting)
				s.hasBucket(kept)
				s.Before("delete buckets", func() { s.Modify(s.bucket, func() { retained(s.bucket) }) })
			},
			want: phasetest.Retried("Conflict", deletes+": Conflict"),
		},
		{
			name: "policy changed before the release", reason: "the lock keeps a Bucket that is to be deleted by now",
			given: func(s *scene) {
				s.hasClaim(s.ofExisting, deleting)
				s.hasBucket(kept)
				s.Before("patch buckets", func() { s.Modify(s.bucket, func() { deleted(s.bucket) }) })
			},
			want: phasetest.Retried("Conflict", bucketPatch+": Conflict"),
		},
		{
			name: "Bucket gone before the deletion", reason: "nothing is left to delete",
			given: func(s *scene) {
				s.hasClaim(deleting)
				s.hasBucket()
				s.Before("delete buckets", func() { s.Remove(s.bucket) })
			},
			want: phasetest.Outcome{Writes: []string{deletes + ": Not Found"}},
		},
		{
			name: "Bucket created again after the deletion", reason: "the new one is not this claim's to wait for",
			given: func(s *scene) {
				s.hasClaim(deleting)
				s.hasBucket()
				s.Before("delete buckets", func() { s.Before("get buckets", func() { s.hasBucket(ofOther) }) })
			},
			want: phasetest.Outcome{Writes: []string{deletes}},
		},
		{
			name: "API server fails to read the Bucket", reason: "it would stay when the claim is gone",
			given: func(s *scene) { s.hasClaim(deleting); s.Reject("get buckets", http.StatusInternalServerError) },
			want:  failed(),
		},
		{
			name: "API server fails to list accesses", reason: "the bucket may be in use",
			given: func(s *scene) {
				s.hasClaim(deleting)
				s.hasBucket()
				s.Reject("get bucketaccesses", http.StatusInternalServerError)
			},
			want: failed(),
		},
		{
			name: "API server fails to delete", reason: "the claim stays",
			given: func(s *scene) {
				s.hasClaim(deleting)
				s.hasBucket()
				s.Reject("delete buckets", http.StatusInternalServerError)
			},
			want: failed(deletes + serverFailure),
		},
		{
			name: "API server fails to release", reason: "the claim stays",
			given: func(s *scene) {
				s.hasClaim(s.ofExisting, deleting)
				s.hasBucket()
				s.Reject("patch buckets", http.StatusInternalServerError)
			},
			want: failed(bucketPatch + serverFailure),
		},
		{
			name: "API server fails to confirm the deletion", reason: "the claim stays",
			given: func(s *scene) {
				s.hasClaim(deleting)
				s.hasBucket(kept)
				s.Before("delete buckets", func() { s.Reject("get buckets", http.StatusInternalServerError) })
			},
			want: func() phasetest.Outcome {
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
			name: "no other finalizer", reason: "the claim vanishes, so the status is not worth a write",
			given: func(s *scene) { s.hasClaim(ready, deleting) },
			want:  phasetest.Outcome{Writes: []string{claimPatch}, Changes: []string{"BucketClaim photos is gone"}},
		},
		{
			name: "another finalizer", reason: "the claim must not get new users",
			given: func(s *scene) { s.hasClaim(ready, audited, deleting) },
			want:  phasetest.Outcome{Writes: []string{statusPatch, claimPatch}, Changes: []string{released, unready}},
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
			want: failed(statusPatch + serverFailure),
		},
	}, (*attempt).markUnready, (*attempt).removeFinalizer)
}

func TestRemoveFinalizer(t *testing.T) {
	t.Parallel()
	runTable(t, []phaseCase{
		{
			name: "claim changed meanwhile", reason: "finalizers are a list",
			given: func(s *scene) { s.hasClaim(deleting); s.Behind(func() { s.label(s.claim) }) },
			want:  phasetest.Retried("Conflict", claimPatch+": Conflict"),
		},
		{
			name: "gone meanwhile", reason: "nothing is left to release",
			given: func(s *scene) { s.hasClaim(deleting); s.Behind(func() { s.ForceRemove(s.claim) }) },
			want:  phasetest.Retried("NotFound", claimPatch+": Not Found"),
		},
		{
			name: "created again meanwhile", reason: "the new claim keeps its finalizer",
			given: func(s *scene) { s.hasClaim(deleting); s.Behind(func() { s.replaceClaim() }) },
			want:  phasetest.Retried("Conflict", claimPatch+": Conflict"),
		},
	}, (*attempt).removeFinalizer)
}
