package bucket

import (
	"context"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/inflight"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

const (
	isProtectedNow = `Bucket b: metadata.finalizers=["` + v1alpha1.BucketFinalizer + `"]`
	isLabelledNow  = "Bucket b: metadata.labels." + v1alpha2.DriverLabel + "=driver.test"
)

// Design: P20-LABEL
func TestAddFinalizer(t *testing.T) {
	t.Parallel()
	runTable(t, []phaseCase{
		{
			Name: "new Bucket", Reason: "a Bucket that vanished after the driver had created something would leak it",
			Given: func(s *scene) { s.hasBucket(withoutFinalizer) },
			Want:  phasetest.Outcome{Writes: []string{bucketPatch}, Changes: []string{isProtectedNow}},
		},
		{
			Name: "existing bucket without the label", Reason: "kubectl get buckets -l must find it; one patch writes both",
			Given: func(s *scene) { s.hasBucket(s.static, withoutFinalizer, withoutLabel) },
			Want:  phasetest.Outcome{Writes: []string{bucketPatch}, Changes: []string{isProtectedNow, isLabelledNow}},
		},
		{
			Name: "Bucket of an earlier version", Reason: "its label is added once",
			Given: func(s *scene) { s.hasBucket(withoutLabel) },
			Want:  phasetest.Outcome{Writes: []string{bucketPatch}, Changes: []string{isLabelledNow}},
		},
		{Name: "finalizer", Reason: "nothing is to be done", Given: func(s *scene) { s.hasBucket() }},
		{
			Name: "changed meanwhile", Reason: "finalizers are a list: the patch would drop what another writer has added",
			Given: func(s *scene) {
				s.hasBucket(withoutFinalizer)
				s.Behind(func() { s.Modify(s.bucket, func() { audited(s.bucket) }) })
			},
			Want: phasetest.Retried("Conflict", bucketPatch+": Conflict"),
		},
		{
			Name: "API server fails", Reason: "the driver is not called before",
			Given: func(s *scene) {
				s.hasBucket(withoutFinalizer)
				s.Reject("patch buckets", http.StatusInternalServerError)
			},
			Want: apiFailure(bucketPatch + phasetest.ServerFails),
		},
	}, (*attempt).addFinalizer)
}

func TestRemoveFinalizer(t *testing.T) {
	t.Parallel()
	runTable(t, []phaseCase{
		{
			Name: "ours only", Reason: "the Bucket vanishes",
			Given: func(s *scene) { s.hasDoomed() },
			Want:  phasetest.Outcome{Writes: []string{bucketPatch}, Changes: []string{isGone}, Events: []string{recordsReleased}},
		},
		{
			Name: "another component's", Reason: "it stays",
			Given: func(s *scene) { s.hasDoomed(audited) },
			Want: phasetest.Outcome{
				Writes: []string{bucketPatch}, Changes: []string{`Bucket b: metadata.finalizers=["example.com/audit"]`},
				Events: []string{recordsReleased},
			},
		},
		{
			Name: "changed meanwhile", Reason: "an access may have come to need it",
			Given: func(s *scene) {
				s.hasDoomed()
				s.Behind(func() { s.Modify(s.bucket, func() { s.bucket.Labels = map[string]string{"a": "b"} }) })
			},
			Want: phasetest.Retried("Conflict", bucketPatch+": Conflict"),
		},
		{
			Name: "API server fails", Reason: "no Event reports an outcome that did not occur",
			Given: func(s *scene) { s.hasDoomed(); s.Reject("patch buckets", http.StatusInternalServerError) },
			Want:  apiFailure(bucketPatch + phasetest.ServerFails),
		},
	}, (*attempt).removeFinalizer)
}

func TestReconcile(t *testing.T) {
	t.Parallel()
	runTable(t, []phaseCase{
		{
			Name: "new Bucket", Reason: "the finalizer comes before the call",
			Given: func(s *scene) { s.hasBucket(withoutFinalizer) },
			Want: phasetest.Outcome{
				Writes:  []string{bucketPatch, creates, statusPatch},
				Changes: []string{isProtectedNow, "Bucket b: status.bucketID=id-b", isReady},
				Events:  []string{recordsReady},
			},
		},
		{Name: "settled Bucket", Reason: "nothing is written or called", Given: func(s *scene) { s.hasBucket(s.provisioned) }},
		{
			Name: "driver in capitals", Reason: "letter case does not count in the names of drivers",
			Given: func(s *scene) { s.hasBucket(inCapitals, s.identified) },
			Want:  phasetest.Outcome{Writes: []string{statusPatch}, Changes: []string{isReady}},
		},
		{
			Name: "Bucket of another driver", Reason: "its sidecar reconciles it",
			Given: func(s *scene) { s.hasBucket(withoutFinalizer, ofOtherDriver) },
		},
		{
			Name: "Bucket for a claim of a namespace that is not served", Reason: "another sidecar may provision it",
			Given: func(s *scene) { s.servesOnly(); s.hasBucket(withoutFinalizer, elsewhere) },
		},
		{
			Name: "deleting Bucket for a claim of a namespace that is not served", Reason: "its data is another installation's",
			Given: func(s *scene) { s.servesOnly(); s.hasDoomed(elsewhere, accessed) },
		},
		{
			Name: "Bucket for a claim of a served namespace", Reason: "it is made ready",
			Given: func(s *scene) { s.servesOnly(); s.hasBucket(s.identified) },
			Want:  phasetest.Outcome{Writes: []string{statusPatch}, Changes: []string{isReady}},
		},
		{
			Name: "Bucket without a claim", Reason: "no other sidecar of the driver could serve it",
			Given: func(s *scene) { s.servesOnly(); s.hasBucket(s.identified, withoutClaim) },
			Want:  phasetest.Outcome{Writes: []string{statusPatch}, Changes: []string{isReady}},
		},
		{
			Name: "deleting Bucket, bound in another namespace, which the cache does not show", Reason: "its data is another claim's now",
			Given: func(s *scene) {
				s.servesOnly()
				s.hasDoomed(withoutClaim)
				s.Behind(func() {
					s.Modify(s.bucket, func() { s.bucket.Spec.BucketClaim = &corev1.ObjectReference{Namespace: "elsewhere", Name: "photos"} })
				})
			},
			Want: phasetest.Outcome{Err: "done"},
		},
		{
			Name: "deleting Bucket", Reason: "the driver deletes the bucket before it is released",
			Given: func(s *scene) { s.hasDoomed() },
			Want: phasetest.Outcome{
				Writes: []string{deletes + ": NotFound", bucketPatch}, Changes: []string{isGone}, Events: []string{recordsReleased},
			},
		},
		{
			Name: "deleting Bucket whose access is gone", Reason: "the finalizer of accesses goes before the bucket",
			Given: func(s *scene) { s.hasDoomed(accessed) },
			Want: phasetest.Outcome{
				Writes: []string{bucketPatch, deletes + ": NotFound", bucketPatch}, Changes: []string{isGone}, Events: []string{recordsReleased},
			},
		},
		{
			Name: "deleting Bucket with an access", Reason: "no call is made",
			Given: func(s *scene) { s.hasDoomed(accessed); s.hasAccess() }, Want: blocked,
		},
		{
			Name: "deleting Bucket with an access, Retain", Reason: "the access is revoked by the Bucket, which must stay",
			Given: func(s *scene) { s.hasDoomed(accessed, retained); s.hasAccess() }, Want: blocked,
		},
		{
			Name: "deleting Bucket, driver unavailable", Reason: "the finalizer stays",
			Given: func(s *scene) { s.hasDoomed(); s.driver.Fail("DriverDeleteBucket", codes.Unavailable, "later") },
			Want:  retried("FailedDeleteBucket", "DriverError", deletes+": Unavailable"),
		},
		{
			Name: "deleting Bucket without the finalizer", Reason: "no call was ever made for it",
			Given: func(s *scene) { s.hasBucket(withoutFinalizer, audited, deleting) },
		},
	})
}

// TestReleased: the cache still has a Bucket that the sidecar has released.
func TestReleased(t *testing.T) {
	t.Parallel()
	s := newScene(suite.New(t))
	s.hasDoomed()
	runner := s.runner(inflight.NewCalls().Line(), nil)
	got := s.Do(s.bucket, func(ctx context.Context, _ *error) (reconcile.Result, error) {
		_, err := runner.ReconcileObject(ctx, s.bucket.DeepCopy())
		s.Must(err)
		return runner.ReconcileObject(ctx, s.bucket.DeepCopy())
	})
	want := phasetest.Outcome{
		Writes: []string{deletes + ": NotFound", bucketPatch}, Changes: []string{isGone}, Events: []string{recordsReleased},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the driver must not be asked again (-want +got):\n%s", diff)
	}
}
