package bucketaccess

import (
	"net/http"
	"testing"

	"google.golang.org/grpc/codes"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

// isReleasedBucket is the change of a Bucket that no access needs.
const isReleasedBucket = "Bucket photos: metadata.finalizers=[\"" + v1alpha1.BucketFinalizer + "\"]"

func TestIdentify(t *testing.T) {
	t.Parallel()
	// upstreams has the finalizer and no record, as upstream's sidecar leaves an access.
	upstreams := func(access *v1alpha1.BucketAccess) {
		access.Finalizers = []string{v1alpha1.BucketAccessFinalizer}
		leaving(access)
	}
	isRecorded := phasetest.Outcome{
		Writes:  []string{accessPatch},
		Changes: []string{"BucketAccess app: metadata.annotations." + v1alpha1.GrantAnnotation + "=" + recordLine("photos", "id-photos")},
	}
	done := phasetest.Outcome{Err: "done"}
	runTable(t, []phaseCase{
		{Name: "record", Reason: "it assigns the access to the driver", Given: func(s *scene) { s.hasAccess(s.granted, leaving) }},
		{
			Name: "access of upstream's sidecar", Reason: "class and Bucket may be gone when it is revoked",
			Given: func(s *scene) { s.hasAll(); s.hasAccess(upstreams) }, Want: isRecorded,
		},
		{
			Name: "access of upstream's sidecar, claim gone", Reason: "the Bucket names its claim",
			Given: func(s *scene) { s.hasClass(); s.hasBucket(); s.hasAccess(upstreams) }, Want: isRecorded,
		},
		{
			Name: "class of another driver", Reason: "its sidecar revokes the access",
			Given: func(s *scene) { s.hasClass(ofOther); s.hasClaim(); s.hasBucket(); s.hasAccess(upstreams) }, Want: done,
		},
		{
			Name: "no class, Bucket of another driver", Reason: "its sidecar revokes the access",
			Given: func(s *scene) { s.hasClaim(); s.hasBucket(ofOtherDriver); s.hasAccess(upstreams) }, Want: done,
		},
		{
			Name: "no class, no claim, no Bucket", Reason: "the driver is unknown; an Event tells the administrator",
			Given: func(s *scene) { s.hasAccess(upstreams) },
			Want:  phasetest.Outcome{Events: []string{"Normal DeletionBlocked of BucketAccess app"}, Err: "Blocked DeletionBlocked"},
		},
		{
			Name: "API server fails", Reason: "nothing is concluded about the class",
			Given: func(s *scene) {
				s.hasAll()
				s.hasAccess(upstreams)
				s.Reject("get bucketaccessclasses", http.StatusInternalServerError)
			},
			Want: failed(),
		},
	}, (*attempt).identify)
}

// Spec: A1-FLOW-3
func TestRevoke(t *testing.T) {
	t.Parallel()
	has := func(s *scene) { s.hasAll(accessed); s.hasAccess(s.granted, leaving) }
	revoked := phasetest.Outcome{Writes: []string{revokes, bucketPatch}, Changes: []string{isReleasedBucket}}
	again := phasetest.Outcome{Err: "done", Requeue: true}
	hasOther := func(s *scene, edits ...func(*v1alpha1.BucketAccess)) {
		phasetest.Make(s.Case, s.newAccess("other"), edits...)
	}
	fails := func(method string, code codes.Code, edits ...func(*v1alpha1.BucketAccess)) func(*scene) {
		return func(s *scene) {
			s.hasAll(accessed)
			s.hasAccess(append([]func(*v1alpha1.BucketAccess){s.granted, leaving}, edits...)...)
			s.driver.Fail(method, code, "no")
		}
	}
	retried := func(reason string, writes ...string) phasetest.Outcome {
		return phasetest.Outcome{
			Writes: writes, Events: []string{"Warning FailedRevokeAccess of BucketAccess app"}, Err: "Failed " + reason, Requeue: true,
		}
	}
	unsaved := func(access *v1alpha1.BucketAccess) { access.Status = v1alpha1.BucketAccessStatus{} }
	former := func(access *v1alpha1.BucketAccess) {
		line := access.Annotations[v1alpha1.GrantAnnotation]
		access.Annotations[v1alpha1.GrantAnnotation] = line[:len(line)-1] + `,"formerAccounts":["acc0"]}`
	}
	runTable(t, []phaseCase{
		{Name: "granted", Reason: "the Bucket is released after the call, which needs it", Given: has, Want: revoked},
		{
			Name: "former account", Reason: "its credentials are valid, too",
			Given: func(s *scene) { s.hasAll(accessed); s.hasAccess(s.granted, former, leaving) },
			Want: phasetest.Outcome{
				Writes:  []string{"call DriverRevokeBucketAccess acc0 (id-photos)", revokes, bucketPatch},
				Changes: []string{isReleasedBucket},
			},
		},
		{
			Name: "class, claim and Bucket gone", Reason: "the record has what is needed",
			Given: func(s *scene) { s.hasAccess(s.granted, leaving) }, Want: phasetest.Outcome{Writes: []string{revokes}},
		},
		{
			Name: "account gone", Reason: "Spec: NotFound is what was wanted",
			Given: fails("DriverRevokeBucketAccess", codes.NotFound),
			Want:  phasetest.Outcome{Writes: []string{revokes + ": NotFound", bucketPatch}, Changes: []string{isReleasedBucket}},
		},
		{
			Name: "driver unavailable", Reason: "time may help, and the Bucket stays",
			Given: fails("DriverRevokeBucketAccess", codes.Unavailable), Want: retried("DriverError", revokes+": Unavailable"),
		},
		{
			Name: "driver rejects the account", Reason: "a revocation is never given up: the credentials would stay valid",
			Given: fails("DriverRevokeBucketAccess", codes.InvalidArgument), Want: retried("DriverError", revokes+": InvalidArgument"),
		},
		{
			Name: "account that was never saved", Reason: "an earlier call may have created it; it is saved before it is revoked",
			Given: func(s *scene) { s.hasAll(accessed); s.hasAccess(s.protected, leaving) },
			Want: phasetest.Outcome{
				Writes:  []string{grants, statusPatch, revokes, bucketPatch},
				Changes: []string{isReleasedBucket, hasAcc},
			},
		},
		{
			Name: "account that was never saved, Bucket without finalizer", Reason: "a Bucket is kept before each call for an access",
			Given: func(s *scene) { s.hasAll(); s.hasAccess(s.protected, leaving) },
			Want: phasetest.Outcome{
				Writes: []string{bucketPatch, grants, statusPatch, revokes, bucketPatch}, Changes: []string{hasAcc},
			},
		},
		{
			Name: "account that was never saved, driver rejects the call", Reason: "Spec: it has created nothing",
			Given: fails("DriverGrantBucketAccess", codes.InvalidArgument, unsaved),
			Want:  phasetest.Outcome{Writes: []string{grants + ": InvalidArgument", bucketPatch}, Changes: []string{isReleasedBucket}},
		},
		{
			Name: "account that was never saved, driver unavailable", Reason: "there may be an account",
			Given: fails("DriverGrantBucketAccess", codes.Unavailable, unsaved), Want: retried("DriverError", grants+": Unavailable"),
		},
		{
			Name: "account that was never saved, Bucket gone", Reason: "without its bucket no account has access to it",
			Given: func(s *scene) { s.hasAccess(s.protected, leaving) },
		},
		{
			Name: "another access", Reason: "it needs the Bucket",
			Given: func(s *scene) { has(s); hasOther(s, s.granted) }, Want: phasetest.Outcome{Writes: []string{revokes}},
		},
		{
			Name: "another access that the cache does not show", Reason: "it needs the Bucket",
			Given: func(s *scene) { has(s); s.Behind(func() { hasOther(s, s.granted) }) }, Want: phasetest.Outcome{Writes: []string{revokes}},
		},
		{
			Name: "another access that was released", Reason: "it needs nothing any more",
			Given: func(s *scene) {
				has(s)
				hasOther(s, s.granted, func(access *v1alpha1.BucketAccess) {
					access.Finalizers, access.DeletionTimestamp = []string{phasetest.Foreign}, new(metav1.Now())
				})
			},
			Want: revoked,
		},
		{
			Name: "Bucket of a served namespace", Reason: "the Bucket is released after the call",
			Given: func(s *scene) { s.servesOnly(); has(s) }, Want: revoked,
		},
		{
			Name: "Bucket that was bound in a namespace that is not served", Reason: "accesses there may need it",
			Given: func(s *scene) { s.servesOnly(); s.hasAll(accessed, elsewhere); s.hasAccess(s.granted, leaving) },
			Want:  phasetest.Outcome{Writes: []string{revokes}},
		},
		{
			Name: "Secret that came back", Reason: "it would outlive its credentials",
			Given: func(s *scene) { has(s); s.Before("get secrets", func() { s.hasSecret() }) }, Want: again,
		},
		{
			Name: "Bucket changed meanwhile", Reason: "another access may have come to need it",
			Given: func(s *scene) { has(s); s.Before("patch buckets", func() { s.Label(s.bucket) }) },
			Want:  phasetest.Retried("Conflict", revokes, bucketPatch+": Conflict"),
		},
		{
			Name: "record removed, which the cache does not show", Reason: "the next reconcile writes it again",
			Given: func(s *scene) {
				has(s)
				s.Behind(func() { s.Modify(s.access, func() { s.access.Annotations = nil }) })
			},
			Want: again,
		},
		{
			Name: "gone, which the cache does not show", Reason: "it was released",
			Given: func(s *scene) { has(s); s.Behind(func() { s.ForceRemove(s.access) }) }, Want: phasetest.Retried("NotFound"),
		},
		{
			Name: "API server fails", Reason: "nothing is revoked on the word of the cache",
			Given: func(s *scene) { has(s); s.Reject("get bucketaccesses", http.StatusInternalServerError) }, Want: failed(),
		},
		{
			Name: "call in flight that creates the bucket", Reason: "another Bucket of that name has no ID yet",
			Given: func(s *scene) { has(s); s.busy = []string{"name " + s.Name("photos")} }, Want: phasetest.Outcome{Err: "postponed"},
		},
		{
			Name: "call in flight for the bucket", Reason: "a driver need not handle two at once",
			Given: func(s *scene) { has(s); s.busy = []string{s.Name("id-photos")} }, Want: phasetest.Outcome{Err: "postponed"},
		},
	}, (*attempt).revoke)
}
