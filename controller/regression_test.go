package controller_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/cluster"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// TestE05ClaimWaitsForPhaseTwo: a Bucket that has its ID does not have a bucket yet, and the claim
// does not report one.
func TestE05ClaimWaitsForPhaseTwo(t *testing.T) {
	cl := start(t)
	cl.Make(class())
	claim := cl.claim("data")
	cl.Make(claim)
	bucket := cl.bucketOf(claim)
	cl.report(bucket, identify)
	cl.Settle()
	cl.Must(cl.Refresh(claim))
	if claim.Status.ReadyToUse {
		t.Error("the claim is ready after phase 1")
	}
	cl.report(bucket, func(s *v1alpha2.BucketStatus) {
		conditions(s, metav1.ConditionUnknown, metav1.ConditionTrue, metav1.ConditionTrue, v1alpha2.ReasonDriverError)
	})
	cl.WaitCondition(claim, v1alpha2.ConditionProvisionFailed, metav1.ConditionTrue, v1alpha2.ReasonDriverError)
	if claim.Status.ReadyToUse {
		t.Error("the claim is ready although the driver fails")
	}
	cl.report(bucket, provision)
	cluster.Await(cl.Cluster, claim, "is ready", func(c *v1alpha2.BucketClaim) error {
		if !c.Status.ReadyToUse {
			return fmt.Errorf("not ready: %+v", c.Status)
		}
		return nil
	})
}

// TestE18RecoveredClaim: once all is well, nothing of the error is left.
func TestE18RecoveredClaim(t *testing.T) {
	cl := start(t)
	cl.Make(class())
	claim := cl.claim("data")
	cl.Make(claim)
	bucket := cl.bucketOf(claim)
	cl.report(bucket, func(s *v1alpha2.BucketStatus) {
		conditions(s, metav1.ConditionUnknown, metav1.ConditionTrue, metav1.ConditionTrue, v1alpha2.ReasonDriverError)
	})
	cl.WaitCondition(claim, v1alpha2.ConditionProvisionFailed, metav1.ConditionTrue, v1alpha2.ReasonDriverError)
	cl.report(bucket, provision)
	cl.WaitCondition(claim, v1alpha2.ConditionProvisioned, metav1.ConditionTrue, v1alpha2.ReasonProvisioned)
	for _, c := range claim.Status.Conditions {
		if c.Reason == v1alpha2.ReasonDriverError || c.Type == v1alpha2.ConditionProvisionFailed && c.Status != metav1.ConditionFalse {
			t.Errorf("the error is still there: %+v", c)
		}
	}
}

// TestE47E48ControllerOlderThanTheKinds: elsewhere a renamed field made the API server reject each
// Bucket, and the user read that a class was missing. Here the claim reports the API server's error
// once, and the controller does not retry.
func TestE47E48ControllerOlderThanTheKinds(t *testing.T) {
	cl := start(t)
	cl.Make(class())
	cl.failRequests(func(r *http.Request) error {
		if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/buckets") {
			return nil
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return err
		}
		body = bytes.ReplaceAll(body, []byte("bucketClaimRef"), []byte("bucketClaim"))
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		return nil
	})
	claim := cl.claim("data")
	cl.Make(claim)
	message := cl.WaitCondition(claim, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonInvalidSpec)
	if !strings.Contains(message, "bucketClaimRef") {
		t.Errorf("the condition does not name the field: %s", message)
	}
	before := cl.Settle()
	if after := cl.Settle(); after != before {
		t.Errorf("%d more writes of a claim that cannot have a Bucket", after-before)
	}
	cl.Requests.Intercept(nil)
	cl.Must(cl.Delete(context.Background(), claim))
	cl.WaitGone(claim)
}

// TestE69LongClassName: a Bucket's name does not depend on its class's name, however long it is.
func TestE69LongClassName(t *testing.T) {
	cl := start(t)
	long := class()
	long.Name = strings.Repeat("x", 253)
	claim := cl.claim("data")
	claim.Spec.BucketClassName = long.Name
	cl.Make(long, claim)
	bucket := cl.bucketOf(claim)
	if want := "bc-" + string(claim.UID); bucket.Name != want {
		t.Errorf("Bucket %s, want %s", bucket.Name, want)
	}
	cl.Must(cl.Delete(context.Background(), long))
}

// TestE84InvalidClaimsDoNotDelayOthers: invalid claims do not delay a valid
// one, and deleted ones are not retried.
func TestE84InvalidClaimsDoNotDelayOthers(t *testing.T) {
	cl := start(t)
	cl.Make(class())
	faulty := make([]*v1alpha2.BucketClaim, 30)
	for i := range faulty {
		faulty[i] = cl.claim(fmt.Sprintf("faulty-%d", i))
		faulty[i].Spec.BucketClassName = "missing"
		cl.Make(faulty[i])
	}
	claim := cl.claim("good")
	cl.Make(claim)
	cl.bucketOf(claim)
	for _, c := range faulty {
		cl.WaitCondition(c, v1alpha2.ConditionResourcesValidated, metav1.ConditionUnknown, v1alpha2.ReasonBucketClassNotFound)
		cl.Must(cl.Delete(context.Background(), c))
	}
	for _, c := range faulty {
		cl.WaitGone(c)
	}
	settled := func() int {
		return harness.Settle(t, "requests of the controller", func() int { return len(cl.Requests.All()) })
	}
	before := settled() // the last requests may be on their way
	if after := settled(); after != before {
		t.Errorf("%d requests for claims that are gone", after-before)
	}
}
