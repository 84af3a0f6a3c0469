package bucket

import (
	"context"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/inflight"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

func TestRemoveFinalizer(t *testing.T) {
	t.Parallel()
	runTable(t, []phaseCase{
		{
			Name: "ours only", Reason: "the Bucket vanishes, and its status is not written",
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
			Name: "ID that the cache does not show", Reason: "the bucket to delete would be unknown",
			Given: func(s *scene) {
				s.hasBucket(announced, deleting)
				s.Behind(func() { s.ModifyStatus(s.bucket, func() { identified(s.bucket) }) })
			},
			Want: phasetest.Retried("Conflict", bucketPatch+": Conflict"),
		},
		{
			Name: "gone meanwhile", Reason: "nothing is left to release",
			Given: func(s *scene) { s.hasDoomed(); s.Behind(func() { s.ForceRemove(s.bucket) }) },
			Want:  phasetest.Retried("NotFound", bucketPatch+": Not Found"),
		},
		{
			Name: "API server fails", Reason: "no Event reports an outcome that did not occur",
			Given: func(s *scene) { s.hasDoomed(); s.Reject("patch buckets", http.StatusInternalServerError) },
			Want:  failed(bucketPatch + phasetest.ServerFails),
		},
	}, (*attempt).removeFinalizer)
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
		Writes: []string{deletes, bucketPatch}, Changes: []string{isGone}, Events: []string{recordsReleased},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the driver must not be asked again (-want +got):\n%s", diff)
	}
}

func TestDescribeEnd(t *testing.T) {
	t.Parallel()
	bucket := func(id string, policy v1alpha2.DeletionPolicy) *v1alpha2.Bucket {
		return &v1alpha2.Bucket{
			Spec: v1alpha2.BucketSpec{DriverName: "driver.test", DeletionPolicy: policy}, Status: v1alpha2.BucketStatus{BucketID: id},
		}
	}
	cases := []struct {
		name   string
		bucket *v1alpha2.Bucket
		want   string
	}{
		{"no ID", bucket("", v1alpha2.DeletionPolicyDelete), "the backend has no bucket to delete"},
		{"Delete", bucket("id", v1alpha2.DeletionPolicyDelete), `driver driver.test has deleted bucket "id"`},
		{"Retain", bucket("id", v1alpha2.DeletionPolicyRetain), `bucket "id" stays in the backend, by the deletion policy Retain`},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, describeEnd(tc.bucket)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
