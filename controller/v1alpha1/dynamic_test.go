package v1alpha1_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/test/cluster"
)

func TestClaimGetsBucket(t *testing.T) {
	cl := start(t)
	cl.Make(class())
	claim := cl.claim("data")
	cl.Make(claim)
	bucket := cl.newBucketOf(claim)
	want := v1alpha1.BucketSpec{
		DriverName: driver, BucketClassName: className, DeletionPolicy: v1alpha1.DeletionPolicyDelete,
		Protocols: claim.Spec.Protocols, Parameters: map[string]string{"tier": "gold"},
		BucketClaim: &corev1.ObjectReference{
			Kind: "BucketClaim", APIVersion: "objectstorage.k8s.io/v1alpha1", Namespace: cl.Namespace, Name: "data", UID: claim.UID,
		},
	}
	if diff := cmp.Diff(want, bucket.Spec); diff != "" {
		t.Errorf("spec of the Bucket (-want +got):\n%s", diff)
	}
	if want := "bucket-" + string(claim.UID); bucket.Name != want {
		t.Errorf("the Bucket is called %q, want %q", bucket.Name, want)
	}
	if len(bucket.Finalizers) > 0 {
		t.Errorf("the Bucket has finalizers %v, which are the sidecar's to set", bucket.Finalizers)
	}
	if diff := cmp.Diff([]string{v1alpha1.BucketClaimFinalizer}, claim.Finalizers); diff != "" {
		t.Errorf("finalizers of the claim (-want +got):\n%s", diff)
	}
	cl.Must(unready(claim))
	cl.provision(bucket)
	cluster.Await(cl.Cluster, claim, "is ready", ready)
	cl.says(claim, "Bound", fmt.Sprintf("Normal: bound to Bucket %q", bucket.Name))
	cl.says(claim, "Provisioned", fmt.Sprintf("Normal: Bucket %q is ready", bucket.Name))
}

// TestWrites holds the controller to the fewest writes that there can be, and to silence
// afterwards.
func TestWrites(t *testing.T) {
	cl := start(t)
	cl.Make(class())
	claim, bucket := cl.provisioned("data")
	cl.Settle()
	of := "/apis/objectstorage.k8s.io/v1alpha1/namespaces/" + cl.Namespace + "/bucketclaims/data"
	buckets := "/apis/objectstorage.k8s.io/v1alpha1/buckets"
	want := []string{
		"PATCH " + of + " 200",
		"POST " + buckets + " 201",
		"PATCH " + of + "/status 200",
		"PATCH " + of + "/status 200",
	}
	if diff := cmp.Diff(want, cl.writes()); diff != "" {
		t.Errorf("writes for a claim (-want +got):\n%s", diff)
	}

	cl.Requests.Reset()
	cl.stopController()
	cl.startController()
	cl.Settle()
	if writes := cl.writes(); len(writes) > 0 {
		t.Errorf("a restarted controller writes to a settled system: %v", writes)
	}

	cl.Requests.Reset()
	cl.Remove(claim)
	cluster.Await(cl.Cluster, bucket, "is being deleted", deleting)
	cl.Settle()
	cl.release(bucket)
	cl.WaitGone(claim)
	cl.Settle()
	want = []string{
		"DELETE " + buckets + "/" + bucket.Name + " 200",
		"PATCH " + of + "/status 200",
		"PATCH " + of + " 200",
	}
	if diff := cmp.Diff(want, cl.writes()); diff != "" {
		t.Errorf("writes for the deletion of a claim (-want +got):\n%s", diff)
	}
}

// writes are the writes of the controller so far. It does not conflict with itself.
func (cl *testCluster) writes() []string {
	var found []string
	for _, request := range cl.Requests.Writes() {
		found = append(found, request.String())
	}
	return found
}

// TestClaimWaitsForClass: the class wakes the claim, and not the back-off.
func TestClaimWaitsForClass(t *testing.T) {
	cl := start(t)
	claim := cl.claim("data")
	cl.Make(claim)
	cl.says(claim, "BucketClassNotFound", `Normal: waiting for BucketClass "gold", which does not exist`)
	before := len(cl.Requests.All())
	cl.Settle()
	after := len(cl.Requests.All())
	cl.Settle()
	if now := len(cl.Requests.All()); now != after {
		t.Errorf("%d requests while the claim waits, %d before", now-after, before)
	}
	cl.Make(class())
	cl.provision(cl.newBucketOf(claim))
	cluster.Await(cl.Cluster, claim, "is ready", ready)
}

// TestInvalidSpec: the API server accepts such claims in v1alpha1.
func TestInvalidSpec(t *testing.T) {
	for _, tc := range []struct {
		name    string
		strict  bool
		edit    func(*v1alpha1.BucketClaimSpec)
		message string
	}{
		{"neither", false, func(s *v1alpha1.BucketClaimSpec) { s.BucketClassName = "" },
			"Warning: FailedCreateBucket InvalidSpec: spec has neither bucketClassName, for a new bucket, nor existingBucketName: set one of them"},
		{"both, strict", true, func(s *v1alpha1.BucketClaimSpec) { s.ExistingBucketName = existingName },
			"Warning: FailedCreateBucket InvalidSpec: spec has both bucketClassName, for a new bucket, and existingBucketName: remove one of them"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			cl := prepare(t)
			cl.strict = tc.strict
			cl.startController()
			cl.Make(class(), existingBucket())
			claim := cl.claim("data")
			tc.edit(&claim.Spec)
			cl.Make(claim)
			cl.says(claim, "FailedCreateBucket", strings.Replace(tc.message, "FailedCreateBucket ", "", 1))
			cl.Settle()
			if writes := cl.writes(); len(writes) > 0 {
				t.Errorf("writes for an invalid claim: %v", writes)
			}
			change(cl, claim, func(c *v1alpha1.BucketClaim) { c.Spec.BucketClassName, c.Spec.ExistingBucketName = className, "" })
			cl.newBucketOf(claim)
			change(cl, claim, func(c *v1alpha1.BucketClaim) { tc.edit(&c.Spec) })
			cl.provision(cl.newBucketOf(claim))
			cluster.Await(cl.Cluster, claim, "keeps the Bucket that it is bound to", ready)
		})
	}
}

// TestClassWithoutDriver: no sidecar would ever serve such a Bucket.
func TestClassWithoutDriver(t *testing.T) {
	cl := start(t)
	broken := class()
	broken.DriverName = ""
	claim := cl.claim("data")
	cl.Make(broken, claim)
	cl.says(claim, "FailedCreateBucket", `Warning: InvalidSpec: BucketClass "gold" has no driverName: set it`)
	change(cl, broken, func(c *v1alpha1.BucketClass) { c.DriverName = driver })
	cl.newBucketOf(claim)
}

// TestE60E61ReadinessFollowsTheBucket: the claim mirrors each change, and no reconcile takes
// the readiness back.
func TestE60E61ReadinessFollowsTheBucket(t *testing.T) {
	cl := start(t)
	cl.Make(class())
	claim, bucket := cl.provisioned("data")
	cl.stopController()
	cl.startController()
	cl.Settle()
	cluster.Await(cl.Cluster, claim, "is still ready", ready)
	report(cl, bucket, func(b *v1alpha1.Bucket) { b.Status.BucketReady = false })
	cluster.Await(cl.Cluster, claim, "is not ready", unready)
	cl.provision(bucket)
	cluster.Await(cl.Cluster, claim, "is ready again", ready)
	report(cl, claim, func(c *v1alpha1.BucketClaim) { c.Status.BucketReady = false })
	cluster.Await(cl.Cluster, claim, "is corrected", ready)
	cl.Remove(bucket)
	cluster.Await(cl.Cluster, claim, "has a Bucket that is being deleted", unready)
	cl.says(claim, "FailedCreateBucket", fmt.Sprintf("Warning: BucketDeleting: Bucket %q is being deleted", bucket.Name))
}

// TestE09VanishedBucket: a Bucket that was removed by force is not created again, neither at
// once nor by a controller that starts later.
func TestE09VanishedBucket(t *testing.T) {
	cl := start(t)
	cl.Make(class())
	claim, bucket := cl.provisioned("data")
	cl.ForceRemove(bucket.DeepCopy())
	cluster.Await(cl.Cluster, claim, "is not ready", unready)
	cl.says(claim, "FailedCreateBucket",
		fmt.Sprintf("Warning: BucketLost: Bucket %q, which this claim is bound to, does not exist any more", bucket.Name))
	cl.stopController()
	cl.startController()
	cl.Settle()
	buckets := &v1alpha1.BucketList{}
	cl.Must(cl.List(context.Background(), buckets))
	if len(buckets.Items) > 0 {
		t.Errorf("the Bucket was created again: %v", buckets.Items)
	}
	cl.Remove(claim)
	cl.WaitGone(claim)
}

// TestClaimAfterCrash: the controller dies between the creation of the Bucket and the write
// that binds the claim to it. The claim gets that Bucket, or takes it along.
func TestClaimAfterCrash(t *testing.T) {
	for _, deleted := range []bool{false, true} {
		t.Run(fmt.Sprintf("deleted=%t", deleted), func(t *testing.T) {
			cl := prepare(t)
			cl.Make(class())
			cl.Requests.Reject(http.MethodPatch, "/bucketclaims/data/status")
			cl.startController()
			claim := cl.claim("data")
			cl.Make(claim)
			bucket := &v1alpha1.Bucket{ObjectMeta: metav1.ObjectMeta{Name: v1alpha1.BucketNameForClaim(claim.UID)}}
			cluster.Await(cl.Cluster, bucket, "exists", func(*v1alpha1.Bucket) error { return nil })
			uid := bucket.UID
			cl.stopController()
			cl.Requests.Intercept(nil)
			if deleted {
				cl.Remove(claim)
				cl.startController()
				cl.WaitGone(claim)
				cl.WaitGone(bucket)
				return
			}
			cl.startController()
			if bound := cl.newBucketOf(claim); bound.UID != uid {
				t.Errorf("the claim is bound to another Bucket than the one that was created first")
			}
		})
	}
}

// TestClaimWithForeignBucket: another object has the reserved name. It is left alone.
func TestClaimWithForeignBucket(t *testing.T) {
	cl := start(t)
	claim := cl.claim("data")
	cl.Make(claim)
	foreign := existingBucket()
	foreign.Name = v1alpha1.BucketNameForClaim(claim.UID)
	foreign.Spec.BucketClaim = &corev1.ObjectReference{Namespace: cl.Namespace, Name: "other", UID: "other"}
	foreign.Spec.DeletionPolicy = v1alpha1.DeletionPolicyDelete
	cl.Make(foreign, class())
	cl.says(claim, "FailedCreateBucket", fmt.Sprintf("Warning: BindingConflict: Bucket %q, whose name is reserved for this claim, "+
		"belongs to BucketClaim %s/other with UID other", foreign.Name, cl.Namespace))
	cl.Remove(claim)
	cl.WaitGone(claim)
	untouched(t, cl, foreign)
}

// untouched checks that an object is as the test has left it.
func untouched(t *testing.T, cl *testCluster, bucket *v1alpha1.Bucket) {
	t.Helper()
	now := &v1alpha1.Bucket{ObjectMeta: metav1.ObjectMeta{Name: bucket.Name}}
	cl.Must(cl.Refresh(now))
	if diff := cmp.Diff(bucket.ResourceVersion, now.ResourceVersion); diff != "" {
		t.Errorf("Bucket %s was written (-want +got):\n%s\n%+v", bucket.Name, diff, now)
	}
}

// TestE48ControllerOlderThanTheKinds: elsewhere a renamed field made the API server reject
// each Bucket, and the user was told that a class was missing.
func TestE48ControllerOlderThanTheKinds(t *testing.T) {
	cl := start(t)
	cl.Make(class())
	cl.Requests.Intercept(func(r *http.Request) (*http.Response, error) {
		if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/buckets") {
			return nil, nil
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		body = bytes.ReplaceAll(body, []byte("driverName"), []byte("driver"))
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		return nil, nil
	})
	claim := cl.claim("data")
	cl.Make(claim)
	cl.Eventually(func() error {
		events := cl.Events(claim)
		got := events["FailedCreateBucket"]
		if !strings.Contains(got, "the API server rejects Bucket") || !strings.Contains(got, "spec.driverName") {
			return fmt.Errorf("events: %v", events)
		}
		return nil
	})
	before := cl.Settle()
	if after := cl.Settle(); after != before {
		t.Errorf("%d more writes for a claim that cannot have a Bucket", after-before)
	}
	cl.Requests.Intercept(nil)
	cl.Remove(claim)
	cl.WaitGone(claim)
}

// TestE69LongClassName: a Bucket's name does not depend on its class's name.
func TestE69LongClassName(t *testing.T) {
	cl := start(t)
	long, claim := class(), cl.claim("data")
	long.Name = strings.Repeat("x", 253)
	claim.Spec.BucketClassName = long.Name
	cl.Make(long, claim)
	if bucket, want := cl.newBucketOf(claim), "bucket-"+string(claim.UID); bucket.Name != want {
		t.Errorf("the Bucket is called %q, want %q", bucket.Name, want)
	}
}

// TestE84InvalidClaimsDoNotDelayOthers, and cause no requests once they are gone.
func TestE84InvalidClaimsDoNotDelayOthers(t *testing.T) {
	cl := start(t)
	cl.Make(class())
	faulty := make([]*v1alpha1.BucketClaim, 30)
	for i := range faulty {
		faulty[i] = cl.claim(fmt.Sprintf("faulty-%d", i))
		faulty[i].Spec.BucketClassName = "missing"
		cl.Make(faulty[i])
	}
	cl.provisioned("good")
	for _, c := range faulty {
		cl.Remove(c)
	}
	for _, c := range faulty {
		cl.WaitGone(c)
	}
	cl.Settle()
	before := len(cl.Requests.All())
	cl.Settle()
	if after := cl.Requests.All(); len(after) != before {
		t.Errorf("requests for claims that are gone: %v", slices.Clone(after[before:]))
	}
}
