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
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// TestE05ClaimWaitsForPhaseTwo: a Bucket that has its ID does not have a bucket
// yet, and the claim does not say that it has.
func TestE05ClaimWaitsForPhaseTwo(t *testing.T) {
	h := start(t)
	h.make(class())
	claim := h.claim("data")
	h.make(claim)
	bucket := h.bucketOf(claim)
	h.report(bucket, identify)
	h.settles()
	h.must(refresh(context.Background(), h, claim))
	if claim.Status.ReadyToUse {
		t.Error("the claim is ready after phase 1")
	}
	h.report(bucket, func(s *v1alpha2.BucketStatus) {
		conditions(s, metav1.ConditionUnknown, metav1.ConditionTrue, metav1.ConditionTrue, v1alpha2.ReasonDriverError)
	})
	h.claimSays(claim, v1alpha2.ConditionProvisionFailed, metav1.ConditionTrue, v1alpha2.ReasonDriverError)
	if claim.Status.ReadyToUse {
		t.Error("the claim is ready although the driver fails")
	}
	h.report(bucket, provision)
	awaits(h, claim, "is ready", func(c *v1alpha2.BucketClaim) error {
		if !c.Status.ReadyToUse {
			return fmt.Errorf("not ready: %+v", c.Status)
		}
		return nil
	})
}

// TestE18RecoveredClaim: once all is well, nothing of the error is left.
func TestE18RecoveredClaim(t *testing.T) {
	h := start(t)
	h.make(class())
	claim := h.claim("data")
	h.make(claim)
	bucket := h.bucketOf(claim)
	h.report(bucket, func(s *v1alpha2.BucketStatus) {
		conditions(s, metav1.ConditionUnknown, metav1.ConditionTrue, metav1.ConditionTrue, v1alpha2.ReasonDriverError)
	})
	h.claimSays(claim, v1alpha2.ConditionProvisionFailed, metav1.ConditionTrue, v1alpha2.ReasonDriverError)
	h.report(bucket, provision)
	h.claimSays(claim, v1alpha2.ConditionProvisioned, metav1.ConditionTrue, v1alpha2.ReasonProvisioned)
	for _, c := range claim.Status.Conditions {
		if c.Reason == v1alpha2.ReasonDriverError || c.Type == v1alpha2.ConditionProvisionFailed && c.Status != metav1.ConditionFalse {
			t.Errorf("the error is still there: %+v", c)
		}
	}
}

// TestE47E48ControllerOlderThanTheKinds: elsewhere a renamed field made the API
// server reject each Bucket, and the user was told that a class was missing. The
// claim says here what the API server has said, once, and is not tried on.
func TestE47E48ControllerOlderThanTheKinds(t *testing.T) {
	h := start(t)
	h.make(class())
	h.failRequests(func(r *http.Request) error {
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
	claim := h.claim("data")
	h.make(claim)
	h.claimSays(claim, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonInvalidSpec)
	message := says(claim.Status.Conditions, v1alpha2.ConditionResourcesValidated, metav1.ConditionTrue, "").Error()
	if !strings.Contains(message, "bucketClaimRef") {
		t.Errorf("the condition does not name the field: %s", message)
	}
	before := h.settles()
	if after := h.settles(); after != before {
		t.Errorf("%d more writes of a claim that cannot have a Bucket", after-before)
	}
	h.requests.Intercept(nil)
	h.must(h.Delete(context.Background(), claim))
	h.vanishes(claim)
}

// TestE69LongClassName: the name of a Bucket does not depend on that of the
// class, however long it is.
func TestE69LongClassName(t *testing.T) {
	h := start(t)
	long := class()
	long.Name = strings.Repeat("x", 253)
	claim := h.claim("data")
	claim.Spec.BucketClassName = long.Name
	h.make(long, claim)
	bucket := h.bucketOf(claim)
	if want := "bc-" + string(claim.UID); bucket.Name != want {
		t.Errorf("Bucket %s, want %s", bucket.Name, want)
	}
	h.must(h.Delete(context.Background(), long))
}

// TestE84InvalidClaimsDoNotDelayOthers: invalid claims do not delay a valid
// one, and deleted ones are not retried.
func TestE84InvalidClaimsDoNotDelayOthers(t *testing.T) {
	h := start(t)
	h.make(class())
	faulty := make([]*v1alpha2.BucketClaim, 30)
	for i := range faulty {
		faulty[i] = h.claim(fmt.Sprintf("faulty-%d", i))
		faulty[i].Spec.BucketClassName = "missing"
		h.make(faulty[i])
	}
	claim := h.claim("good")
	h.make(claim)
	h.bucketOf(claim)
	for _, c := range faulty {
		h.claimSays(c, v1alpha2.ConditionResourcesValidated, metav1.ConditionUnknown, v1alpha2.ReasonBucketClassNotFound)
		h.must(h.Delete(context.Background(), c))
	}
	for _, c := range faulty {
		h.vanishes(c)
	}
	settled := func() int {
		return harness.Settle(t, "requests of the controller", func() int { return len(h.requests.All()) })
	}
	before := settled() // the last requests may be on their way
	if after := settled(); after != before {
		t.Errorf("%d requests for claims that are gone", after-before)
	}
}
