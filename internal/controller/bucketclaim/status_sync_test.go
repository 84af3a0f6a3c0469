package bucketclaim

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/condition"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

// provisioned has a Bucket that the driver has provisioned, for S3 and Azure.
func provisioned(b *v1alpha2.Bucket) {
	b.Status.BucketID, b.Status.ReadyToUse = "id", true
	b.Status.Protocols = []v1alpha2.Protocol{v1alpha2.ProtocolAzure, v1alpha2.ProtocolS3}
	status := condition.For(&b.Status.Conditions, 1)
	status.Set(v1alpha2.ConditionProvisioned, metav1.ConditionTrue, v1alpha2.ReasonProvisioned, "m")
	status.Set(v1alpha2.ConditionResourcesValidated, metav1.ConditionTrue, v1alpha2.ReasonValidated, "m")
	status.Set(v1alpha2.ConditionProvisionFailed, metav1.ConditionFalse, v1alpha2.ReasonDriverSucceeded, "m")
}

// isSynced has a claim that says the same as a provisioned Bucket.
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
			name: "new Bucket", reason: "the claim waits for it",
			given: func(s *scene) { s.hasClaim(); s.hasBucket(); s.bind() },
			want:  phasetest.Outcome{Writes: []string{statusPatch}, Conditions: waiting},
		},
		{
			name: "provisioned Bucket", reason: "the claim can be used, and its user is told",
			given: func(s *scene) { s.hasClaim(); s.hasBucket(provisioned); s.bind() },
			want: phasetest.Outcome{
				Writes:  []string{statusPatch},
				Changes: []string{protocols, ready},
				Conditions: []string{
					"Provisioned=True Provisioned", "ResourcesValidated=True Validated", "ProvisionFailed=False DriverSucceeded",
				},
				Events: []string{"Normal Provisioned of BucketClaim photos"},
			},
		},
		{
			name: "nothing new", reason: "a settled claim is not written",
			given: func(s *scene) { s.hasClaim(); s.hasBucket(provisioned); isSynced(s) },
		},
		{
			name: "protocol that the Bucket lacks", reason: "the user cannot use it; what it supports is reported",
			given: func(s *scene) {
				s.hasClaim(func(claim *v1alpha2.BucketClaim) { claim.Spec.Protocols = []v1alpha2.Protocol{v1alpha2.ProtocolGCS} })
				s.hasBucket(provisioned)
				s.bind()
			},
			want: func() phasetest.Outcome {
				o := invalid(v1alpha2.ReasonProtocolNotSupported)
				o.Changes = []string{protocols}
				return o
			}(),
		},
		{
			name: "Bucket deleting", reason: "the claim must not get new users",
			given: func(s *scene) {
				s.hasClaim()
				s.hasBucket(provisioned)
				isSynced(s)
				s.Modify(s.bucket, func() { s.bucket.Finalizers = []string{v1alpha2.ProtectionFinalizer} })
				s.Remove(s.bucket)
				s.Must(s.Refresh(s.bucket))
			},
			want: phasetest.Outcome{
				Writes: []string{statusPatch}, Changes: []string{unready},
				Conditions: []string{"ResourcesValidated=False BucketDeleting"}, Events: []string{"Warning BucketDeleting of BucketClaim photos"},
			},
		},
		{
			name: "Bucket announced", reason: "its sidecar would delete it, although the claim stays",
			given: func(s *scene) { s.hasClaim(); s.hasBucket(provisioned, announced); s.bind() },
			want: phasetest.Outcome{
				Writes: []string{statusPatch}, Changes: []string{protocols},
				Conditions: []string{
					"Provisioned=True Provisioned", "ResourcesValidated=False BucketDeleting", "ProvisionFailed=False DriverSucceeded",
				},
				Events: []string{"Warning BucketDeleting of BucketClaim photos", "Normal Provisioned of BucketClaim photos"},
			},
		},
		{
			name: "Provisioned without an ID", reason: "the status of the Bucket was edited",
			given: func(s *scene) {
				s.hasClaim()
				s.hasBucket(provisioned, func(b *v1alpha2.Bucket) { b.Status.BucketID, b.Status.Protocols = "", nil })
				s.bind()
			},
			want: phasetest.Outcome{Writes: []string{statusPatch}, Conditions: append(waiting, "ProvisionFailed=False DriverSucceeded")},
		},
		{
			name: "claim changed meanwhile", reason: "the conditions are a list: the whole status is written again",
			given: func(s *scene) {
				s.hasClaim()
				s.hasBucket()
				s.bind()
				s.Before("patch bucketclaims/status", func() { s.label(s.claim) })
			},
			want: phasetest.Outcome{Writes: []string{statusPatch + ": Conflict"}, Requeue: true},
		},
		{
			name: "claim created again meanwhile", reason: "the new one must not inherit an immutable boundBucketName",
			given: func(s *scene) {
				s.hasClaim()
				s.hasBucket()
				s.bind()
				s.Behind(func() { s.replaceClaim() })
			},
			want: phasetest.Outcome{Writes: []string{statusPatch + ": Conflict"}, Requeue: true},
		},
	}, (*attempt).syncStatus)
}
