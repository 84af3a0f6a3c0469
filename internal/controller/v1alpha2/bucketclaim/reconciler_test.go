package bucketclaim

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/condition"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

func TestAddFinalizer(t *testing.T) {
	t.Parallel()
	runTable(t, []phaseCase{
		{
			Name: "new claim", Reason: "nothing that would outlive it exists yet",
			Given: func(s *scene) { s.hasClaim(withoutFinalizer) },
			Want: phasetest.Outcome{
				Writes:  []string{claimPatch},
				Changes: []string{`BucketClaim photos: metadata.finalizers=["objectstorage.k8s.io/protection"]`},
			},
		},
		{
			Name: "another component's finalizer", Reason: "it stays",
			Given: func(s *scene) { s.hasClaim(withoutFinalizer, audited) },
			Want: phasetest.Outcome{
				Writes:  []string{claimPatch},
				Changes: []string{`BucketClaim photos: metadata.finalizers=["example.com/audit","objectstorage.k8s.io/protection"]`},
			},
		},
		{
			Name: "finalizer", Reason: "nothing is to be done",
			Given: func(s *scene) { s.hasClaim() },
		},
		{
			Name: "changed meanwhile", Reason: "finalizers are a list: the patch would drop what another writer has added",
			Given: func(s *scene) {
				s.hasClaim(withoutFinalizer)
				s.Behind(func() { s.Modify(s.claim, func() { audited(s.claim) }) })
			},
			Want: phasetest.Retried("Conflict", claimPatch+": Conflict"),
		},
		{
			Name: "created again meanwhile", Reason: "the next reconcile is of the new one",
			Given: func(s *scene) {
				s.hasClaim(withoutFinalizer)
				s.Behind(func() { s.replaceClaim(withoutFinalizer) })
			},
			Want: phasetest.Retried("Conflict", claimPatch+": Conflict"),
		},
		{
			Name: "gone meanwhile", Reason: "there is nothing to keep",
			Given: func(s *scene) { s.hasClaim(withoutFinalizer); s.Behind(func() { s.Remove(s.claim) }) },
			Want:  phasetest.Retried("NotFound", claimPatch+": Not Found"),
		},
		{
			Name: "API server fails", Reason: "no phase comes after it",
			Given: func(s *scene) {
				s.hasClaim(withoutFinalizer)
				s.Reject("patch bucketclaims", http.StatusInternalServerError)
			},
			Want: failed(claimPatch + phasetest.ServerFails),
		},
	}, (*attempt).addFinalizer)
}

func TestReconcile(t *testing.T) {
	t.Parallel()
	runTable(t, []phaseCase{
		{
			Name: "new claim", Reason: "the finalizer comes before what would outlive the claim, and the Bucket before its name",
			Given: func(s *scene) { s.hasClaim(withoutFinalizer, protected); s.hasBucket(provisioned) },
			Want: phasetest.Outcome{
				Writes: []string{claimPatch, claimPatch, statusPatch},
				Changes: []string{
					unprotectedClaim,
					`BucketClaim photos: metadata.finalizers=["objectstorage.k8s.io/protection"]`,
					isBound,
					`BucketClaim photos: status.protocols=["Azure","S3"]`,
					"BucketClaim photos: status.readyToUse=true",
				},
				Conditions: []string{
					"Provisioned=True Provisioned", "ResourcesValidated=True Validated", "ProvisionFailed=False DriverSucceeded",
				},
				Events: []string{recordsBound, "Normal Provisioned of BucketClaim photos"},
			},
		},
		{
			Name: "settled claim", Reason: "nothing is written",
			Given: func(s *scene) { s.hasClaim(); s.hasBucket(provisioned); isSynced(s) },
		},
		{
			Name: "deleting claim", Reason: "the Bucket is announced and deleted before the claim is released",
			Given: func(s *scene) { s.hasClaim(audited, protected, deleting); s.hasBucket(kept) },
			Want: phasetest.Outcome{
				Writes: []string{claimPatch, announce, deletes, claimPatch},
				Changes: []string{
					isAnnounced, isDeleting, unprotectedClaim, `BucketClaim photos: metadata.finalizers=["example.com/audit"]`,
				},
			},
		},
		{
			Name: "deleting claim in use", Reason: "its Bucket is not touched",
			Given: func(s *scene) { s.hasClaim(deleting); s.hasAccess(handedOff); s.hasBucket(kept) },
			Want: phasetest.Outcome{
				Writes: []string{statusPatch}, Conditions: []string{"ResourcesValidated=Unknown DeletionBlocked"},
				Events: []string{"Normal DeletionBlocked of BucketClaim photos"}, Err: "Blocked DeletionBlocked",
			},
		},
		{
			Name: "released claim in the cache", Reason: "its Bucket is the administrator's by now, and is not touched",
			Given: func(s *scene) {
				s.hasClaim(deleting)
				s.hasBucket(kept)
				s.Behind(func() { s.ForceRemove(s.claim) })
			},
			Want: phasetest.Retried("NotFound"),
		},
		{
			Name: "claim that was released", Reason: "it may have vanished, and nothing is written",
			Given: func(s *scene) { s.hasClaim(withoutFinalizer, audited, deleting); s.hasBucket(kept) },
		},
	})
}

func TestStatusOf(t *testing.T) {
	t.Parallel()
	type summary struct{ Provisioned, Ready bool }
	set := func(conditionType string, status metav1.ConditionStatus, reason string) func(*v1alpha2.BucketClaim) {
		return func(claim *v1alpha2.BucketClaim) {
			condition.For(&claim.Status.Conditions, 1).Set(conditionType, status, reason, "m")
		}
	}
	cases := []struct {
		name   string
		reason string
		edit   func(*v1alpha2.BucketClaim)
		want   summary
	}{
		{"provisioned", "it has all that it needs", func(*v1alpha2.BucketClaim) {}, summary{true, true}},
		{
			"no Bucket", "a claim without one was edited",
			func(claim *v1alpha2.BucketClaim) { claim.Status.BoundBucketName = "" }, summary{},
		},
		{
			"no protocols", "every provisioned Bucket has some",
			func(claim *v1alpha2.BucketClaim) { claim.Status.Protocols = nil }, summary{},
		},
		{"deleting", "it must not get new users", deleting, summary{true, false}},
		{
			"Bucket deleting", "it must not get new users",
			set(v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonBucketDeleting), summary{true, false},
		},
		{
			"Bucket invalid in another way", "what is provisioned can be used",
			set(v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonInvalidSpec), summary{true, true},
		},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			claim := &v1alpha2.BucketClaim{ObjectMeta: metav1.ObjectMeta{Generation: 1}}
			claim.Status.BoundBucketName, claim.Status.Protocols = "b", []v1alpha2.Protocol{v1alpha2.ProtocolS3}
			set(v1alpha2.ConditionProvisioned, metav1.ConditionTrue, v1alpha2.ReasonProvisioned)(claim)
			tc.edit(claim)
			status, ok := statusOf(claim).(condition.Status)
			if !ok {
				t.Fatalf("statusOf returns a %T", statusOf(claim))
			}
			if diff := cmp.Diff(tc.want, summary{status.IsProvisioned(), status.IsReady()}); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}
