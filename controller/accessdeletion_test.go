package controller_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// KEP: FLOW-REVOKE-2.1
func TestDeleteAccessBeforeHandOff(t *testing.T) {
	h := start(t)
	h.make(newAccessClass())
	claim, access := h.claim("data"), h.access("app", "data")
	h.make(claim, access)
	awaits(h, claim, "is held while the access waits", protected)
	h.must(h.Delete(context.Background(), access))
	h.vanishes(access)
	awaits(h, claim, "is released", unprotected)
}

// KEP: FLOW-REVOKE-2.1, FLOW-REVOKE-4.2, ANNO-4
func TestDeleteAccessAfterHandOff(t *testing.T) {
	h := start(t)
	h.make(class(), newAccessClass())
	claim, _ := h.provisioned("data")
	access := h.access("app", "data")
	h.make(access)
	h.handedOff(access)
	status := access.Status.DeepCopy()
	h.must(h.Delete(context.Background(), access))
	h.settles()
	h.must(refresh(context.Background(), h, access))
	if diff := cmp.Diff(status, &access.Status); diff != "" {
		t.Errorf("status was written although it is the sidecar's (-before +after):\n%s", diff)
	}
	h.must(protected(claimNow(h, claim)))
	h.finishCleanup(access)
	h.vanishes(access)
	h.must(unprotected(claimNow(h, claim))) // and not some time later
}

func claimNow(h *fixture, claim *v1alpha2.BucketClaim) *v1alpha2.BucketClaim {
	h.t.Helper()
	h.must(refresh(context.Background(), h, claim))
	return claim
}

// TestE24LastAccess: the annotation stays until the last access has gone.
// KEP: FLOW-REVOKE-4.1, ANNO-3
func TestE24LastAccess(t *testing.T) {
	h := start(t)
	h.make(class(), newAccessClass())
	claim, _ := h.provisioned("data")
	one, two := h.access("one", "data"), h.access("two", "data")
	h.make(one, two)
	h.handedOff(one)
	h.handedOff(two)
	h.must(h.Delete(context.Background(), one))
	h.finishCleanup(one)
	h.vanishes(one)
	h.settles()
	h.must(protected(claimNow(h, claim)))
	h.must(h.Delete(context.Background(), two))
	h.finishCleanup(two)
	h.vanishes(two)
	h.must(unprotected(claimNow(h, claim)))
}

// TestE24AccessesAtOnce: each of the last accesses sees others that go as well.
// KEP: FLOW-REVOKE-4.1
func TestE24AccessesAtOnce(t *testing.T) {
	h := start(t)
	h.make(class(retain), newAccessClass())
	claim, _ := h.provisioned("data")
	accesses := make([]*v1alpha2.BucketAccess, 10)
	for i := range accesses {
		accesses[i] = h.access(fmt.Sprintf("app-%d", i), "data")
		h.make(accesses[i])
	}
	for _, access := range accesses {
		h.handedOff(access)
		h.must(h.Delete(context.Background(), access))
	}
	for _, access := range accesses {
		h.finishCleanup(access)
	}
	for _, access := range accesses {
		h.vanishes(access)
	}
	awaits(h, claim, "is released", unprotected)
	h.must(h.Delete(context.Background(), claim))
	h.vanishes(claim)
}

// TestAccessRemovedByForce: the claim notices what the access could not do.
func TestAccessRemovedByForce(t *testing.T) {
	h := start(t)
	h.make(class(), newAccessClass())
	claim, _ := h.provisioned("data")
	access := h.access("app", "data")
	h.make(access)
	h.handedOff(access)
	h.must(h.removeByForce(context.Background(), access))
	h.vanishes(access)
	awaits(h, claim, "is released", unprotected)
}

// TestE73DeleteAccessOfLostClaim: the claim has been removed by force.
func TestE73DeleteAccessOfLostClaim(t *testing.T) {
	h := start(t)
	h.make(class(), newAccessClass())
	claim, bucket := h.provisioned("data")
	access := h.access("app", "data")
	h.make(access)
	h.handedOff(access)
	h.must(h.removeByForce(context.Background(), claim))
	h.must(h.removeByForce(context.Background(), bucket))
	h.must(h.Delete(context.Background(), access))
	h.finishCleanup(access)
	h.vanishes(access)
}

// TestAccessCleanedUpWhileControllerIsDown: the instance that finalizes has not
// seen the hand-off, and asks the API server before it lets the claim go.
// KEP: FLOW-REVOKE-4.2
func TestAccessCleanedUpWhileControllerIsDown(t *testing.T) {
	h := start(t)
	h.make(class(), newAccessClass())
	claim, _ := h.provisioned("data")
	one, two := h.access("one", "data"), h.access("two", "data")
	h.make(one, two)
	h.handedOff(one)
	h.handedOff(two)
	h.stopController()
	h.must(h.Delete(context.Background(), one))
	h.finishCleanup(one)
	h.startController()
	h.vanishes(one)
	h.must(protected(claimNow(h, claim)))
	h.stopController()
	h.must(h.Delete(context.Background(), two))
	h.finishCleanup(two)
	h.startController()
	h.vanishes(two)
	h.must(unprotected(claimNow(h, claim)))
}
