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
	"github.com/cosi-emu/cosi-emu/test/controllertest"
)

func TestClaimGetsBucket(t *testing.T) {
	h := start(t)
	h.make(class())
	claim := h.claim("data")
	h.make(claim)
	bucket := h.newBucketOf(claim)
	want := v1alpha1.BucketSpec{
		DriverName: driver, BucketClassName: className, DeletionPolicy: v1alpha1.DeletionPolicyDelete,
		Protocols: claim.Spec.Protocols, Parameters: map[string]string{"tier": "gold"},
		BucketClaim: &corev1.ObjectReference{
			Kind: "BucketClaim", APIVersion: "objectstorage.k8s.io/v1alpha1", Namespace: h.namespace, Name: "data", UID: claim.UID,
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
	h.must(unready(claim))
	h.provision(bucket)
	awaits(h, claim, "is ready", ready)
	h.says(claim, "Bound", fmt.Sprintf("Normal: bound to Bucket %q", bucket.Name))
	h.says(claim, "Provisioned", fmt.Sprintf("Normal: Bucket %q is ready", bucket.Name))
}

// TestWrites holds the controller to the fewest writes that there can be, and to silence
// afterwards.
func TestWrites(t *testing.T) {
	h := start(t)
	h.make(class())
	claim, bucket := h.provisioned("data")
	h.settles()
	of := "/apis/objectstorage.k8s.io/v1alpha1/namespaces/" + h.namespace + "/bucketclaims/data"
	buckets := "/apis/objectstorage.k8s.io/v1alpha1/buckets"
	want := []string{
		"PATCH " + of + " 200",
		"POST " + buckets + " 201",
		"PATCH " + of + "/status 200",
		"PATCH " + of + "/status 200",
	}
	if diff := cmp.Diff(want, h.writes()); diff != "" {
		t.Errorf("writes for a claim (-want +got):\n%s", diff)
	}

	h.requests.Reset()
	h.stopController()
	h.startController()
	h.settles()
	if writes := h.writes(); len(writes) > 0 {
		t.Errorf("a restarted controller writes to a settled system: %v", writes)
	}

	h.requests.Reset()
	h.delete(claim)
	awaits(h, bucket, "is being deleted", deleting)
	h.settles()
	h.release(bucket)
	h.vanishes(claim)
	h.settles()
	want = []string{
		"DELETE " + buckets + "/" + bucket.Name + " 200",
		"PATCH " + of + "/status 200",
		"PATCH " + of + " 200",
	}
	if diff := cmp.Diff(want, h.writes()); diff != "" {
		t.Errorf("writes for the deletion of a claim (-want +got):\n%s", diff)
	}
}

// writes are the writes of the controller so far. It does not conflict with itself.
func (h *fixture) writes() []string {
	var found []string
	for _, request := range h.requests.Writes() {
		found = append(found, request.String())
	}
	return found
}

// TestClaimWaitsForClass: the class wakes the claim, and not the back-off.
func TestClaimWaitsForClass(t *testing.T) {
	h := start(t)
	claim := h.claim("data")
	h.make(claim)
	h.says(claim, "BucketClassNotFound", `Normal: waiting for BucketClass "gold", which does not exist`)
	before := len(h.requests.All())
	h.settles()
	after := len(h.requests.All())
	h.settles()
	if now := len(h.requests.All()); now != after {
		t.Errorf("%d requests while the claim waits, %d before", now-after, before)
	}
	h.make(class())
	h.provision(h.newBucketOf(claim))
	awaits(h, claim, "is ready", ready)
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
			h := prepare(t)
			h.strict = tc.strict
			h.startController()
			h.make(class(), existingBucket())
			claim := h.claim("data")
			tc.edit(&claim.Spec)
			h.make(claim)
			h.says(claim, "FailedCreateBucket", strings.Replace(tc.message, "FailedCreateBucket ", "", 1))
			h.settles()
			if writes := h.writes(); len(writes) > 0 {
				t.Errorf("writes for an invalid claim: %v", writes)
			}
			change(h, claim, func(c *v1alpha1.BucketClaim) { c.Spec.BucketClassName, c.Spec.ExistingBucketName = className, "" })
			h.newBucketOf(claim)
			change(h, claim, func(c *v1alpha1.BucketClaim) { tc.edit(&c.Spec) })
			h.provision(h.newBucketOf(claim))
			awaits(h, claim, "keeps the Bucket that it is bound to", ready)
		})
	}
}

// TestClassWithoutDriver: no sidecar would ever serve such a Bucket.
func TestClassWithoutDriver(t *testing.T) {
	h := start(t)
	broken := class()
	broken.DriverName = ""
	claim := h.claim("data")
	h.make(broken, claim)
	h.says(claim, "FailedCreateBucket", `Warning: InvalidSpec: BucketClass "gold" has no driverName: set it`)
	change(h, broken, func(c *v1alpha1.BucketClass) { c.DriverName = driver })
	h.newBucketOf(claim)
}

// TestE60E61ReadinessFollowsTheBucket: the claim mirrors each change, and no reconcile takes
// the readiness back.
func TestE60E61ReadinessFollowsTheBucket(t *testing.T) {
	h := start(t)
	h.make(class())
	claim, bucket := h.provisioned("data")
	h.stopController()
	h.startController()
	h.settles()
	awaits(h, claim, "is still ready", ready)
	report(h, bucket, func(b *v1alpha1.Bucket) { b.Status.BucketReady = false })
	awaits(h, claim, "is not ready", unready)
	h.provision(bucket)
	awaits(h, claim, "is ready again", ready)
	report(h, claim, func(c *v1alpha1.BucketClaim) { c.Status.BucketReady = false })
	awaits(h, claim, "is corrected", ready)
	h.delete(bucket)
	awaits(h, claim, "has a Bucket that is being deleted", unready)
	h.says(claim, "FailedCreateBucket", fmt.Sprintf("Warning: BucketDeleting: Bucket %q is being deleted", bucket.Name))
}

// TestE09VanishedBucket: a Bucket that was removed by force is not created again, neither at
// once nor by a controller that starts later.
func TestE09VanishedBucket(t *testing.T) {
	h := start(t)
	h.make(class())
	claim, bucket := h.provisioned("data")
	h.must(controllertest.RemoveByForce(context.Background(), h.Client, bucket.DeepCopy()))
	awaits(h, claim, "is not ready", unready)
	h.says(claim, "FailedCreateBucket",
		fmt.Sprintf("Warning: BucketLost: Bucket %q, which this claim is bound to, does not exist any more", bucket.Name))
	h.stopController()
	h.startController()
	h.settles()
	buckets := &v1alpha1.BucketList{}
	h.must(h.List(context.Background(), buckets))
	if len(buckets.Items) > 0 {
		t.Errorf("the Bucket was created again: %v", buckets.Items)
	}
	h.delete(claim)
	h.vanishes(claim)
}

// TestClaimAfterCrash: the controller dies between the creation of the Bucket and the write
// that binds the claim to it. The claim gets that Bucket, or takes it along.
func TestClaimAfterCrash(t *testing.T) {
	for _, deleted := range []bool{false, true} {
		t.Run(fmt.Sprintf("deleted=%t", deleted), func(t *testing.T) {
			h := prepare(t)
			h.make(class())
			h.requests.Reject(http.MethodPatch, "/bucketclaims/data/status")
			h.startController()
			claim := h.claim("data")
			h.make(claim)
			bucket := &v1alpha1.Bucket{ObjectMeta: metav1.ObjectMeta{Name: v1alpha1.BucketNameForClaim(claim.UID)}}
			awaits(h, bucket, "exists", func(*v1alpha1.Bucket) error { return nil })
			uid := bucket.UID
			h.stopController()
			h.requests.Intercept(nil)
			if deleted {
				h.delete(claim)
				h.startController()
				h.vanishes(claim)
				h.vanishes(bucket)
				return
			}
			h.startController()
			if bound := h.newBucketOf(claim); bound.UID != uid {
				t.Errorf("the claim is bound to another Bucket than the one that was created first")
			}
		})
	}
}

// TestClaimWithForeignBucket: another object has the reserved name. It is left alone.
func TestClaimWithForeignBucket(t *testing.T) {
	h := start(t)
	claim := h.claim("data")
	h.make(claim)
	foreign := existingBucket()
	foreign.Name = v1alpha1.BucketNameForClaim(claim.UID)
	foreign.Spec.BucketClaim = &corev1.ObjectReference{Namespace: h.namespace, Name: "other", UID: "other"}
	foreign.Spec.DeletionPolicy = v1alpha1.DeletionPolicyDelete
	h.make(foreign, class())
	h.says(claim, "FailedCreateBucket", fmt.Sprintf("Warning: BindingConflict: Bucket %q, whose name is reserved for this claim, "+
		"belongs to BucketClaim %s/other with UID other", foreign.Name, h.namespace))
	h.delete(claim)
	h.vanishes(claim)
	untouched(t, h, foreign)
}

// untouched checks that an object is as the test has left it.
func untouched(t *testing.T, h *fixture, bucket *v1alpha1.Bucket) {
	t.Helper()
	now := &v1alpha1.Bucket{ObjectMeta: metav1.ObjectMeta{Name: bucket.Name}}
	h.must(refresh(context.Background(), h, now))
	if diff := cmp.Diff(bucket.ResourceVersion, now.ResourceVersion); diff != "" {
		t.Errorf("Bucket %s was written (-want +got):\n%s\n%+v", bucket.Name, diff, now)
	}
}

// TestE48ControllerOlderThanTheKinds: elsewhere a renamed field made the API server reject
// each Bucket, and the user was told that a class was missing.
func TestE48ControllerOlderThanTheKinds(t *testing.T) {
	h := start(t)
	h.make(class())
	h.requests.Intercept(func(r *http.Request) (*http.Response, error) {
		if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/buckets") {
			return nil, nil //nolint:nilnil // the request goes on
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		body = bytes.ReplaceAll(body, []byte("driverName"), []byte("driver"))
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		return nil, nil //nolint:nilnil // the request goes on
	})
	claim := h.claim("data")
	h.make(claim)
	h.eventually("the Event names the field", func(ctx context.Context) error {
		events := controllertest.Events(ctx, t, h.Client, claim)
		got := events["FailedCreateBucket"]
		if !strings.Contains(got, "the API server rejects Bucket") || !strings.Contains(got, "spec.driverName") {
			return fmt.Errorf("events: %v", events)
		}
		return nil
	})
	before := h.settles()
	if after := h.settles(); after != before {
		t.Errorf("%d more writes for a claim that cannot have a Bucket", after-before)
	}
	h.requests.Intercept(nil)
	h.delete(claim)
	h.vanishes(claim)
}

// TestE69LongClassName: the name of a Bucket does not depend on that of the class.
func TestE69LongClassName(t *testing.T) {
	h := start(t)
	long, claim := class(), h.claim("data")
	long.Name = strings.Repeat("x", 253)
	claim.Spec.BucketClassName = long.Name
	h.make(long, claim)
	if bucket, want := h.newBucketOf(claim), "bucket-"+string(claim.UID); bucket.Name != want {
		t.Errorf("the Bucket is called %q, want %q", bucket.Name, want)
	}
}

// TestE84InvalidClaimsDoNotDelayOthers, and cause no requests once they are gone.
func TestE84InvalidClaimsDoNotDelayOthers(t *testing.T) {
	h := start(t)
	h.make(class())
	faulty := make([]*v1alpha1.BucketClaim, 30)
	for i := range faulty {
		faulty[i] = h.claim(fmt.Sprintf("faulty-%d", i))
		faulty[i].Spec.BucketClassName = "missing"
		h.make(faulty[i])
	}
	h.provisioned("good")
	for _, c := range faulty {
		h.delete(c)
	}
	for _, c := range faulty {
		h.vanishes(c)
	}
	h.settles()
	before := len(h.requests.All())
	h.settles()
	if after := h.requests.All(); len(after) != before {
		t.Errorf("requests for claims that are gone: %v", slices.Clone(after[before:]))
	}
}
