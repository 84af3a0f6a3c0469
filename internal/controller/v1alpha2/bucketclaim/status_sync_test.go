package bucketclaim

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/condition"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

// provisioned makes a Bucket that the driver has provisioned, for S3 and Azure.
func provisioned(b *v1alpha2.Bucket) {
	b.Status.BucketID, b.Status.ReadyToUse = "id", true
	b.Status.Protocols = []v1alpha2.Protocol{v1alpha2.ProtocolAzure, v1alpha2.ProtocolS3}
	status := condition.For(&b.Status.Conditions, 1)
	status.Set(v1alpha2.ConditionProvisioned, metav1.ConditionTrue, v1alpha2.ReasonProvisioned, "m")
	status.Set(v1alpha2.ConditionResourcesValidated, metav1.ConditionTrue, v1alpha2.ReasonValidated, "m")
	status.Set(v1alpha2.ConditionProvisionFailed, metav1.ConditionFalse, v1alpha2.ReasonDriverSucceeded, "m")
}

// isSynced gives a claim the state of a provisioned Bucket.
func isSynced(s *scene) {
	s.Helper()
	s.ModifyStatus(s.claim, func() {
		status := &s.claim.Status
		status.BoundBucketName, status.Protocols, status.ReadyToUse = s.bucket.Name, s.bucket.Status.Protocols, true
		syncConditions(condition.For(&status.Conditions, 1), s.bucket)
	})
}

func TestSyncStatus(t *testing.T) {
	t.Parallel()
	const (
		protocols = `BucketClaim photos: status.protocols=["Azure","S3"]`
		ready     = "BucketClaim photos: status.readyToUse=true"
		unready   = "BucketClaim photos: status.readyToUse=false"
	)
	waiting := []string{"Provisioned=Unknown WaitingForBucket", "ResourcesValidated=True Validated"}
	runTable(t, []phaseCase{
		{
			Name: "new Bucket", Reason: "the claim waits for it",
			Given: func(s *scene) { s.hasClaim(); s.hasBucket(); s.bind() },
			Want:  phasetest.Outcome{Writes: []string{statusPatch}, Conditions: waiting},
		},
		{
			Name: "provisioned Bucket", Reason: "the claim can be used, and its user is told",
			Given: func(s *scene) { s.hasClaim(); s.hasBucket(provisioned); s.bind() },
			Want: phasetest.Outcome{
				Writes:  []string{statusPatch},
				Changes: []string{protocols, ready},
				Conditions: []string{
					"Provisioned=True Provisioned", "ResourcesValidated=True Validated", "ProvisionFailed=False DriverSucceeded",
				},
				Events: []string{"Normal Provisioned of BucketClaim photos"},
			},
		},
		{
			Name: "nothing new", Reason: "a settled claim is not written",
			Given: func(s *scene) { s.hasClaim(); s.hasBucket(provisioned); isSynced(s) },
		},
		{
			Name: "protocol that the Bucket lacks", Reason: "the user cannot use it; what it supports is reported",
			Given: func(s *scene) {
				s.hasClaim(func(claim *v1alpha2.BucketClaim) { claim.Spec.Protocols = []v1alpha2.Protocol{v1alpha2.ProtocolGCS} })
				s.hasBucket(provisioned)
				s.bind()
			},
			Want: func() phasetest.Outcome {
				o := invalid(v1alpha2.ReasonProtocolNotSupported)
				o.Changes = []string{protocols}
				return o
			}(),
		},
		{
			Name: "Bucket deleting", Reason: "the claim must not get new users",
			Given: func(s *scene) {
				s.hasClaim()
				s.hasBucket(provisioned)
				isSynced(s)
				s.Modify(s.bucket, func() { s.bucket.Finalizers = []string{v1alpha2.ProtectionFinalizer} })
				s.Remove(s.bucket)
				s.Must(s.Refresh(s.bucket))
			},
			Want: phasetest.Outcome{
				Writes: []string{statusPatch}, Changes: []string{unready},
				Conditions: []string{"ResourcesValidated=False BucketDeleting"}, Events: []string{"Warning BucketDeleting of BucketClaim photos"},
			},
		},
		{
			Name: "Bucket announced", Reason: "its sidecar would delete it, although the claim stays",
			Given: func(s *scene) { s.hasClaim(); s.hasBucket(provisioned, announced); s.bind() },
			Want: phasetest.Outcome{
				Writes: []string{statusPatch}, Changes: []string{protocols},
				Conditions: []string{
					"Provisioned=True Provisioned", "ResourcesValidated=False BucketDeleting", "ProvisionFailed=False DriverSucceeded",
				},
				Events: []string{"Warning BucketDeleting of BucketClaim photos", "Normal Provisioned of BucketClaim photos"},
			},
		},
		{
			Name: "Provisioned without an ID", Reason: "the status of the Bucket was edited",
			Given: func(s *scene) {
				s.hasClaim()
				s.hasBucket(provisioned, func(b *v1alpha2.Bucket) { b.Status.BucketID, b.Status.Protocols = "", nil })
				s.bind()
			},
			Want: phasetest.Outcome{Writes: []string{statusPatch}, Conditions: append(waiting, "ProvisionFailed=False DriverSucceeded")},
		},
		{
			Name: "claim changed meanwhile", Reason: "the conditions are a list: the whole status is written again",
			Given: func(s *scene) {
				s.hasClaim()
				s.hasBucket()
				s.bind()
				s.Before("patch bucketclaims/status", func() { s.Label(s.claim) })
			},
			Want: phasetest.Outcome{Writes: []string{statusPatch + ": Conflict"}, Requeue: true},
		},
		{
			Name: "claim created again meanwhile", Reason: "the new one must not inherit an immutable boundBucketName",
			Given: func(s *scene) {
				s.hasClaim()
				s.hasBucket()
				s.bind()
				s.Behind(func() { s.replaceClaim() })
			},
			Want: phasetest.Outcome{Writes: []string{statusPatch + ": Conflict"}, Requeue: true},
		},
	}, (*attempt).syncStatus)
}
