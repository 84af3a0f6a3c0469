package bucketaccess

import (
	"net/http"
	"testing"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

const (
	isGone         = "BucketAccess app is gone"
	recordsRevoked = "Normal Deprovisioned of BucketAccess app"
)

func TestRemoveFinalizer(t *testing.T) {
	t.Parallel()
	runTable(t, []phaseCase{
		{
			Name: "ours only", Reason: "the access vanishes",
			Given: func(s *scene) { s.hasAccess(s.granted, leaving) },
			Want:  phasetest.Outcome{Writes: []string{accessPatch}, Changes: []string{isGone}, Events: []string{recordsRevoked}},
		},
		{
			Name: "another component's", Reason: "it stays",
			Given: func(s *scene) {
				s.hasAccess(s.granted, leaving, func(access *v1alpha1.BucketAccess) {
					access.Finalizers = append(access.Finalizers, phasetest.Foreign)
				})
			},
			Want: phasetest.Outcome{
				Writes: []string{accessPatch}, Changes: []string{`BucketAccess app: metadata.finalizers=["example.com/audit"]`},
				Events: []string{recordsRevoked},
			},
		},
		{
			Name: "account that the cache does not show", Reason: "it was not revoked",
			Given: func(s *scene) {
				s.hasAccess(s.protected, leaving)
				s.Behind(func() { s.ModifyStatus(s.access, func() { s.access.Status.AccountID = "acc" }) })
			},
			Want: phasetest.Retried("Conflict", accessPatch+": Conflict"),
		},
		{
			Name: "API server fails", Reason: "no Event reports an outcome that did not occur",
			Given: func(s *scene) {
				s.hasAccess(s.granted, leaving)
				s.Reject("patch bucketaccesses", http.StatusInternalServerError)
			},
			Want: failed(accessPatch + phasetest.ServerFails),
		},
	}, (*attempt).removeFinalizer)
}

// Spec: A1-FLOW-2
func TestReconcile(t *testing.T) {
	t.Parallel()
	ofOtherRecord := func(access *v1alpha1.BucketAccess) {
		access.Annotations[v1alpha1.GrantAnnotation] = `{"driverName":"other.test","bucketName":"b","bucketID":"id"}`
	}
	runTable(t, []phaseCase{
		{
			Name: "new access", Reason: "access and Bucket are protected before the call",
			Given: func(s *scene) { s.hasAll(); s.hasAccess() },
			Want: phasetest.Outcome{
				Writes:  []string{accessPatch, bucketPatch, grants, statusPatch, creates, statusPatch},
				Changes: append(append(isProtectedNow(), isGranted, hasAcc), isFilled()...), Events: []string{recordsReady},
			},
		},
		{
			Name: "settled access", Reason: "nothing is written or called",
			Given: func(s *scene) { s.hasSettled() }, Want: phasetest.Outcome{Err: "done"},
		},
		{
			Name: "settled access, Bucket without its finalizer", Reason: "it is protected again, without a call",
			Given: func(s *scene) {
				s.hasSettled()
				s.Modify(s.bucket, func() { s.bucket.Finalizers = []string{v1alpha1.BucketFinalizer} })
			},
			Want: phasetest.Outcome{Writes: []string{bucketPatch}, Changes: isProtectedNow()[:1]},
		},
		{
			Name: "Secret of a user", Reason: "no call is made, and nothing is protected",
			Given: func(s *scene) { s.hasAll(); s.hasAccess(); s.hasSecret(strange) }, Want: invalid("SecretConflict"),
		},
		{
			Name: "access of another driver", Reason: "its sidecar reconciles it",
			Given: func(s *scene) { s.hasClass(ofOther); s.hasClaim(); s.hasBucket(); s.hasAccess() },
			Want:  phasetest.Outcome{Err: "done"},
		},
		{
			Name: "access with another driver's record", Reason: "only that driver can revoke it",
			Given: func(s *scene) { s.hasAll(); s.hasAccess(s.granted, ofOtherRecord) },
		},
		{
			Name: "deleting access", Reason: "the Secret goes before its credentials, and the access last",
			Given: func(s *scene) { s.hasAll(accessed); s.hasAccess(s.granted, leaving); s.hasSecret() },
			Want: phasetest.Outcome{
				Writes:  []string{releases, deletes, revokes, bucketPatch, accessPatch},
				Changes: []string{isReleasedBucket, isGone, "Secret app is gone"}, Events: []string{recordsRevoked},
			},
		},
		{
			Name: "deleting access without the finalizer", Reason: "it was never granted, or has been released",
			Given: func(s *scene) {
				s.hasAll(accessed)
				s.hasAccess(s.granted, leaving, func(access *v1alpha1.BucketAccess) { access.Finalizers = []string{phasetest.Foreign} })
			},
		},
	})
}
