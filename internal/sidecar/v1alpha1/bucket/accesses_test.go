package bucket

import (
	"net/http"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

var blocked = phasetest.Outcome{Events: []string{"Normal DeletionBlocked of Bucket b"}, Err: "Blocked DeletionBlocked"}

func TestAwaitAccesses(t *testing.T) {
	t.Parallel()
	has := func(edits ...func(*v1alpha1.Bucket)) func(*scene) {
		return func(s *scene) {
			s.hasBucket(append([]func(*v1alpha1.Bucket){s.provisioned, accessed, deleting}, edits...)...)
		}
	}
	freed := phasetest.Outcome{
		Writes:  []string{bucketPatch},
		Changes: []string{`Bucket b: metadata.finalizers=["` + v1alpha1.BucketFinalizer + `"]`},
	}
	again := phasetest.Outcome{Err: "done", Requeue: true}
	recorded := func(bucket string) func(*v1alpha1.BucketAccess) {
		return func(access *v1alpha1.BucketAccess) {
			access.Annotations = map[string]string{
				v1alpha1.GrantAnnotation: `{"driverName":"driver.test","bucketName":"` + bucket + `","bucketID":"id"}`,
			}
		}
	}
	runTable(t, []phaseCase{
		{Name: "never accessed", Reason: "nothing is to be done", Given: func(s *scene) { s.hasBucket(s.provisioned, deleting) }},
		{
			Name: "access", Reason: "its credentials are revoked by the bucket",
			Given: func(s *scene) { has()(s); s.hasAccess() }, Want: blocked,
		},
		{
			Name: "access with a record", Reason: "its claim may be gone",
			Given: func(s *scene) {
				has()(s)
				s.hasAccess(recorded(s.bucket.Name), func(access *v1alpha1.BucketAccess) { access.Spec.BucketClaimName = "gone" })
			},
			Want: blocked,
		},
		{
			Name: "access with a record of another Bucket", Reason: "it does not need this one",
			Given: func(s *scene) { has()(s); s.hasAccess(recorded("other")) }, Want: freed,
		},
		{
			Name: "access gone", Reason: "one that has vanished cannot release its Bucket",
			Given: has(), Want: freed,
		},
		{
			Name: "access that was released", Reason: "it is revoked",
			Given: func(s *scene) { has()(s); s.hasAccess(released) }, Want: freed,
		},
		{
			Name: "access that was never granted", Reason: "it has no finalizer, and nothing to revoke",
			Given: func(s *scene) { has()(s); s.hasAccess(func(access *v1alpha1.BucketAccess) { access.Finalizers = nil }) }, Want: freed,
		},
		{
			Name: "access to another claim", Reason: "it does not need this Bucket",
			Given: func(s *scene) {
				has()(s)
				s.hasAccess(func(access *v1alpha1.BucketAccess) { access.Spec.BucketClaimName = "videos" })
			},
			Want: freed,
		},
		{
			Name: "Bucket without a claim", Reason: "no access names it",
			Given: func(s *scene) {
				has(func(b *v1alpha1.Bucket) { b.Spec.BucketClaim = &corev1.ObjectReference{} })(s)
				s.hasAccess()
			}, Want: freed,
		},
		{
			Name: "access of a namespace that is not served", Reason: "that the sidecar does not see it does not mean that it is gone",
			Given: func(s *scene) {
				s.servesOnly()
				has()(s)
				s.hasAccess(recorded(s.bucket.Name), s.inAnotherNamespace)
			},
			Want: blocked,
		},
		{
			Name: "no access in the served namespaces, Bucket created for its claim", Reason: "it was never bound in another namespace",
			Given: func(s *scene) { s.servesOnly(); has(s.ofItsClaim)(s) }, Want: freed,
		},
		{
			Name: "access in the served namespace, Bucket created for its claim", Reason: "its credentials are revoked by the bucket",
			Given: func(s *scene) { s.servesOnly(); has(s.ofItsClaim)(s); s.hasAccess() }, Want: blocked,
		},
		{
			Name: "access that the cache does not show, Bucket created for its claim", Reason: "the API server is asked about each namespace",
			Given: func(s *scene) { s.servesOnly(); has(s.ofItsClaim)(s); s.Behind(func() { s.hasAccess() }) }, Want: again,
		},
		{
			Name: "no access in the served namespaces, Bucket without a claim", Reason: "it may have been bound in another namespace",
			Given: func(s *scene) { s.servesOnly(); has(withoutClaim)(s) }, Want: blocked,
		},
		{
			Name: "access that the cache does not show", Reason: "its watch may have no further event, so the Bucket is reconciled again",
			Given: func(s *scene) { has()(s); s.Behind(func() { s.hasAccess() }) }, Want: again,
		},
		{
			Name: "finalizer removed, which the cache does not show", Reason: "nothing is to be done",
			Given: func(s *scene) {
				has()(s)
				s.Behind(func() {
					s.Modify(s.bucket, func() { s.bucket.Finalizers = []string{v1alpha1.BucketFinalizer} })
				})
			},
		},
		{
			Name: "changed meanwhile", Reason: "an access may have come to need it",
			Given: func(s *scene) { has()(s); s.Before("patch buckets", func() { s.Label(s.bucket) }) },
			Want:  phasetest.Retried("Conflict", bucketPatch+": Conflict"),
		},
		{
			Name: "call in flight for the bucket", Reason: "a Grant that is being made needs the Bucket",
			Given: func(s *scene) { has()(s); s.busy = []string{s.Name("id-b")} }, Want: phasetest.Outcome{Err: "postponed"},
		},
		{
			Name: "cache fails", Reason: "an access may need the Bucket",
			Given: func(s *scene) { has()(s); s.FailReads(&v1alpha1.BucketAccessList{}) }, Want: phasetest.Retried("Unreadable"),
		},
		{
			Name: "API server fails to list", Reason: "an access may need the Bucket",
			Given: func(s *scene) { has()(s); s.Reject("get bucketaccesses", http.StatusInternalServerError) }, Want: apiFailure(),
		},
		{
			Name: "API server fails", Reason: "the bucket is not deleted before",
			Given: func(s *scene) { has()(s); s.Reject("patch buckets", http.StatusInternalServerError) },
			Want:  apiFailure(bucketPatch + phasetest.ServerFails),
		},
	}, (*attempt).awaitAccesses)
}
