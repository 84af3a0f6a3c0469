package bucketaccess

import (
	"net/http"
	"testing"

	"google.golang.org/grpc/codes"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2" // for the reasons, which both versions share
	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

const (
	isGranted    = "BucketAccess app: status.accessGranted=true"
	hasAcc       = "BucketAccess app: status.accountID=acc"
	recordsReady = "Normal Provisioned of BucketAccess app"
)

// isProtectedNow are the changes before a first Grant.
func isProtectedNow() []string {
	return []string{
		"Bucket photos: metadata.finalizers=[\"" + v1alpha1.BucketFinalizer + "\",\"" + v1alpha1.BucketAccessBucketFinalizer + "\"]",
		"BucketAccess app: metadata.annotations." + v1alpha1.GrantAnnotation + "=" + recordLine("photos", "id-photos"),
		"BucketAccess app: metadata.finalizers=[\"" + v1alpha1.BucketAccessFinalizer + "\"]",
	}
}

// isFilled are the changes by a new Secret.
func isFilled() []string {
	return []string{
		"Secret app: data." + v1alpha1.BucketInfoKey,
		"Secret app: metadata.annotations." + v1alpha1.BucketAccessReferenceAnnotation + "=ns/app",
		"Secret app: metadata.annotations." + v1alpha1.DataDigestAnnotation,
		"Secret app: metadata.annotations." + v1alpha1.DriverNameAnnotation + "=driver.test",
		"Secret app: metadata.finalizers=[\"" + v1alpha1.SecretFinalizer + "\"]",
		`Secret app: metadata.ownerReferences=[{"apiVersion":"objectstorage.k8s.io/v1alpha1","blockOwnerDeletion":true,"controller":true,` +
			`"kind":"BucketAccess","name":"app","uid":"uid-app"}]`,
		"Secret app: type=Opaque",
	}
}

// Spec: A1-FLOW-6
func TestGrant(t *testing.T) {
	t.Parallel()
	// ready has been protected, and not granted.
	ready := func(s *scene) { s.hasAll(accessed); s.hasAccess(s.protected) }
	again := phasetest.Outcome{Err: "done", Requeue: true}
	fails := func(code codes.Code) func(*scene) {
		return func(s *scene) { ready(s); s.driver.Fail("DriverGrantBucketAccess", code, "no") }
	}
	retried := func(code string) phasetest.Outcome {
		return phasetest.Outcome{
			Writes: []string{grants + ": " + code}, Events: []string{"Warning FailedGrantAccess of BucketAccess app"},
			Err: "Failed DriverError", Requeue: true,
		}
	}
	rejected := func(reason string, writes ...string) phasetest.Outcome {
		return phasetest.Outcome{Writes: writes, Events: []string{"Warning FailedGrantAccess of BucketAccess app"}, Err: "Rejected " + reason}
	}
	runTable(t, []phaseCase{
		{
			Name: "new access", Reason: "access and Bucket are protected before the call; the account is saved before the Secret is written",
			Given: func(s *scene) { s.hasAll(); s.hasAccess() },
			Want: phasetest.Outcome{
				Writes:  []string{accessPatch, bucketPatch, grants, statusPatch, creates, statusPatch},
				Changes: append(append(isProtectedNow(), isGranted, hasAcc), isFilled()...), Events: []string{recordsReady},
			},
		},
		{
			Name: "access that was protected before a crash", Reason: "nothing is protected again",
			Given: ready,
			Want: phasetest.Outcome{
				Writes:  []string{grants, statusPatch, creates, statusPatch},
				Changes: append([]string{isGranted, hasAcc}, isFilled()...), Events: []string{recordsReady},
			},
		},
		{
			Name: "granted, Secret gone", Reason: "the idempotent call is repeated",
			Given: func(s *scene) { s.hasAll(accessed); s.hasAccess(s.granted) },
			Want:  phasetest.Outcome{Writes: []string{grants, creates}, Changes: isFilled()},
		},
		{
			Name: "granted, driver names another account", Reason: "the former credentials are valid until they are revoked",
			Given: func(s *scene) { s.hasAll(accessed); s.hasAccess(s.granted); s.answersGrant("acc2") },
			Want: phasetest.Outcome{
				Writes: []string{grants, accessPatch, statusPatch, creates},
				Changes: append([]string{
					"BucketAccess app: metadata.annotations." + v1alpha1.GrantAnnotation + `={"driverName":"driver.test","bucketName":"photos",` +
						`"bucketID":"id-photos","authenticationType":"Key","formerAccounts":["acc"]}`,
					"BucketAccess app: status.accountID=acc2",
				}, isFilled()...),
			},
		},
		{Name: "driver unavailable", Reason: "time may help", Given: fails(codes.Unavailable), Want: retried("Unavailable")},
		{
			Name: "account exists", Reason: "Spec: the call may have succeeded early, so it is repeated",
			Given: fails(codes.AlreadyExists), Want: retried("AlreadyExists"),
		},
		{
			Name: "driver rejects the parameters", Reason: "Spec: InvalidArgument is final",
			Given: fails(codes.InvalidArgument), Want: rejected("DriverRefused", grants+": InvalidArgument"),
		},
		{
			Name: "no account", Reason: "nothing could be revoked",
			Given: func(s *scene) { ready(s); s.answersGrant("") }, Want: rejected("InvalidDriverResponse", grants),
		},
		{
			Name: "no credentials", Reason: "the account is saved, so that it can be revoked",
			Given: func(s *scene) {
				ready(s)
				s.driver.Answer("DriverGrantBucketAccess", &cosiv1alpha1.DriverGrantBucketAccessResponse{AccountId: "acc"})
			},
			Want: func() phasetest.Outcome {
				o := rejected("InvalidDriverResponse", grants, statusPatch)
				o.Changes = []string{hasAcc}
				return o
			}(),
		},
		{
			Name: "deletion that the cache does not show", Reason: "nothing is granted to it",
			Given: func(s *scene) { ready(s); s.Behind(func() { s.Remove(s.access) }) }, Want: again,
		},
		{
			Name: "created again, which the cache does not show", Reason: "the next reconcile is of the new one",
			Given: func(s *scene) { ready(s); s.Behind(func() { s.ForceRemove(s.access); s.hasAccess() }) },
			Want:  phasetest.Retried("Conflict"),
		},
		{
			Name: "deletion of the claim that the cache does not show", Reason: "the bucket must not get new users",
			Given: func(s *scene) { ready(s); s.Behind(func() { s.Remove(s.claim) }) },
			Want:  waiting(v1alpha2.ReasonBucketClaimDeleting),
		},
		{
			Name: "class changed, which the cache does not show", Reason: "the access would have the rights of a class that is gone",
			Given: func(s *scene) { ready(s); s.Behind(func() { s.Label(s.class) }) }, Want: phasetest.Retried("Conflict"),
		},
		{
			Name: "deletion of the Bucket that the cache does not show", Reason: "its bucket may be deleted by now",
			Given: func(s *scene) { ready(s); s.Behind(func() { s.Remove(s.bucket) }) },
			Want:  waiting(v1alpha2.ReasonBucketDeleting),
		},
		{
			Name: "Bucket gone, which the cache does not show", Reason: "one of the two is out of date",
			Given: func(s *scene) { ready(s); s.Behind(func() { s.ForceRemove(s.bucket) }) }, Want: again,
		},
		{
			Name: "new access deleted while it gets its finalizer", Reason: "kube-apiserver may ignore the finalizer, and an account would leak",
			Given: func(s *scene) {
				s.hasAll(accessed)
				s.hasAccess()
				s.Before("get bucketclaims", func() { s.Remove(s.access) })
			},
			Want: phasetest.Retried("NotFound", accessPatch+": Not Found"),
		},
		{
			Name: "new access that vanishes although it got its finalizer", Reason: "kube-apiserver may ignore the finalizer; no call is made",
			Given: func(s *scene) {
				s.hasAll()
				s.hasAccess()
				s.Before("patch buckets", func() { s.ForceRemove(s.access) })
			},
			Want: func() phasetest.Outcome {
				o := phasetest.Retried("NotFound", accessPatch, bucketPatch)
				o.Changes = isProtectedNow()[:1]
				return o
			}(),
		},
		{
			Name: "Bucket changed meanwhile", Reason: "finalizers are a list; no call is made",
			Given: func(s *scene) {
				s.hasAll()
				s.hasAccess(s.protected)
				s.Before("patch buckets", func() { s.Label(s.bucket) })
			},
			Want: phasetest.Retried("Conflict", bucketPatch+": Conflict"),
		},
		{
			Name: "API server fails to protect the access", Reason: "no call is made",
			Given: func(s *scene) {
				s.hasAll()
				s.hasAccess()
				s.Reject("patch bucketaccesses", http.StatusInternalServerError)
			},
			Want: failed(accessPatch + phasetest.ServerFails),
		},
		{
			Name: "API server fails to protect the Bucket", Reason: "no call is made",
			Given: func(s *scene) {
				s.hasAll()
				s.hasAccess(s.protected)
				s.Reject("patch buckets", http.StatusInternalServerError)
			},
			Want: failed(bucketPatch + phasetest.ServerFails),
		},
		{
			Name: "API server fails to save the account", Reason: "no Secret gets credentials of an account that nothing knows of",
			Given: func(s *scene) { ready(s); s.Reject("patch bucketaccesses/status", http.StatusInternalServerError) },
			Want:  failed(grants, statusPatch+phasetest.ServerFails),
		},
		{
			Name: "Secret created by a user meanwhile", Reason: "it is not overwritten; the account is saved",
			Given: func(s *scene) { ready(s); s.Before("create secrets", func() { s.hasSecret(strange) }) },
			Want:  phasetest.Retried("AlreadyExists", grants, statusPatch, creates+": Conflict"),
		},
		{
			Name: "call in flight that creates the bucket", Reason: "another Bucket of that name has no ID yet",
			Given: func(s *scene) { ready(s); s.busy = []string{"name " + s.Name("photos")} }, Want: phasetest.Outcome{Err: "postponed"},
		},
		{
			Name: "call in flight for the bucket", Reason: "a driver need not handle two at once",
			Given: func(s *scene) { ready(s); s.busy = []string{s.Name("id-photos")} }, Want: phasetest.Outcome{Err: "postponed"},
		},
	}, (*attempt).findClass, (*attempt).findBucket, (*attempt).grant)
}
