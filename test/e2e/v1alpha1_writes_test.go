package e2e_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/test/cluster"
)

// minimumV1alpha1 are the writes that the life of a claim and an access needs in v1alpha1, because
// a later step must not begin before they are durable, or because another component makes them.
var minimumV1alpha1 = []struct{ operation, what string }{
	{"patch bucketclaims", "finalizer on the BucketClaim"},
	{"create buckets", "the Bucket, which refers to the BucketClaim"},
	{"patch buckets", "finalizer on the Bucket, before anything outside exists"},
	{"patch buckets/status", "bucket ID; the Bucket is ready"},
	{"patch bucketclaims/status", "name of the Bucket; the BucketClaim is ready"},
	{"patch bucketaccesses", "finalizer on the BucketAccess, and what the revocation will need"},
	{"patch buckets", "finalizer that keeps the Bucket for the BucketAccess"},
	{"create secrets", "the Secret, with finalizer and data"},
	{"patch bucketaccesses/status", "account ID; the access is granted"},

	{"delete secrets", "the Secret"},
	{"patch secrets", "finalizer of the Secret"},
	{"patch buckets", "finalizer that kept the Bucket for the BucketAccess"},
	{"patch bucketaccesses", "finalizer of the BucketAccess, after the revocation"},
	{"delete buckets", "the Bucket"},
	{"patch buckets", "finalizer of the Bucket, after the deletion in the backend"},
	{"patch bucketclaims", "finalizer of the BucketClaim"},
}

// maxWrites is how many times the minimum the components may write.
const maxWrites = 1.25

// TestWritesV1alpha1: the life of a claim and an access, without any trouble, costs few writes, and
// one call of each kind. In between, and afterwards, the components are silent.
func TestWritesV1alpha1(t *testing.T) {
	emu := emulatortest.Start(t, emulator.Options{API: objectstorage.V1alpha1, RetryBaseDelay: never, RetryMaxDelay: never})
	namespace := emulatortest.NamespaceIn(t, emu)
	claim := &v1alpha1.BucketClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "photos"},
		Spec:       v1alpha1.BucketClaimSpec{BucketClassName: emulator.ClassStandard, Protocols: []v1alpha1.Protocol{v1alpha1.ProtocolS3}},
	}
	access := &v1alpha1.BucketAccess{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "photos-rw"},
		Spec: v1alpha1.BucketAccessSpec{
			BucketClaimName: claim.Name, BucketAccessClassName: emulator.ClassStandard,
			CredentialsSecretName: "photos", Protocol: v1alpha1.ProtocolS3,
		},
	}
	cl := &testCluster{Cluster: &cluster.Cluster{TB: t, Client: emu.Client(), Namespace: namespace}, emu: emu}
	begin := cl.settle(t)
	cl.Must(cl.Create(t.Context(), claim))
	cl.Must(cl.Create(t.Context(), access))
	cl.Eventually(func() error {
		if err := cl.Refresh(access); err != nil || access.Status.AccessGranted {
			return err
		}
		return fmt.Errorf("the access has status %+v", access.Status)
	})
	cl.settle(t)
	for _, object := range []client.Object{access, claim} {
		cl.Must(cl.Delete(t.Context(), object))
		cl.WaitGone(object)
	}
	writes, calls := cl.countRequests(begin, cl.settle(t))
	checkCalls(t, calls)
	checkWrites(t, writes)
	cl.expectSilenceOfRestart(t)
}

// countRequests counts the writes of all components that the API server accepted, and the calls of the
// sidecar, between two events. The API server rejects a write that rests on an old object: how often that
// happens depends on the delay of a cache.
func (cl *testCluster) countRequests(begin, end uint64) (writes, calls map[string]int) {
	writes, calls = map[string]int{}, map[string]int{}
	for _, e := range cl.emu.Journal().Since(begin) {
		switch {
		case e.Seq > end:
		case e.Seam == journal.SeamRPC && e.Component == emulator.ComponentSidecar:
			calls[e.Operation.Name]++
		case e.Write() && !e.Failed() && !strings.HasSuffix(e.Operation.Name, " events"):
			writes[e.Operation.Name]++
		}
	}
	return writes, calls
}

func checkCalls(t *testing.T, calls map[string]int) {
	t.Helper()
	for _, method := range []string{"DriverCreateBucket", "DriverGrantBucketAccess", "DriverRevokeBucketAccess", "DriverDeleteBucket"} {
		if calls[method] != 1 {
			t.Errorf("%d calls of %s, want 1", calls[method], method)
		}
	}
}

// checkWrites compares the writes with the minimum.
func checkWrites(t *testing.T, writes map[string]int) {
	t.Helper()
	needed := map[string]int{}
	for _, step := range minimumV1alpha1 {
		needed[step.operation]++
	}
	for operation, n := range needed {
		if writes[operation] < n {
			t.Errorf("the minimum has %d of %q, but %d were made: correct the minimum", n, operation, writes[operation])
		}
	}
	total := 0
	for _, n := range writes {
		total += n
	}
	ratio := float64(total) / float64(len(minimumV1alpha1))
	t.Logf("%d writes, %.2f times the minimum of %d: %v", total, ratio, len(minimumV1alpha1), writes)
	if ratio > maxWrites {
		t.Errorf("%d writes are %.2f times the minimum of %d, want at most %.2f: %v", total, ratio, len(minimumV1alpha1), maxWrites, writes)
	}
}

// expectSilenceOfRestart restarts the components, which then have nothing to do: they only ask the
// driver who it is.
func (cl *testCluster) expectSilenceOfRestart(t *testing.T) {
	t.Helper()
	mark := cl.settle(t)
	for _, name := range []string{emulator.ComponentController, emulator.ComponentSidecar} {
		if err := cl.emu.Component(name).Restart(context.WithoutCancel(t.Context())); err != nil {
			t.Fatal(err)
		}
	}
	cl.settle(t)
	for _, e := range cl.emu.Journal().Since(mark) {
		if e.Write() || e.Seam == journal.SeamRPC && e.Operation.Name != "DriverGetInfo" {
			t.Errorf("a component that has nothing to do does this after a restart: %s", e)
		}
	}
}
