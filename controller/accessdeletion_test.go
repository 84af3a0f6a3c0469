package controller_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/cluster"
)

// KEP: FLOW-REVOKE-2.1
func TestDeleteAccessBeforeHandOff(t *testing.T) {
	cl := start(t)
	cl.Make(newAccessClass())
	claim, access := cl.claim("data"), cl.access("app", "data")
	cl.Make(claim, access)
	cluster.Await(cl.Cluster, claim, "is held while the access waits", protected)
	cl.Must(cl.Delete(context.Background(), access))
	cl.WaitGone(access)
	cluster.Await(cl.Cluster, claim, "is released", unprotected)
}

// KEP: FLOW-REVOKE-2.1, FLOW-REVOKE-4.2, ANNO-4
func TestDeleteAccessAfterHandOff(t *testing.T) {
	cl := start(t)
	cl.Make(class(), newAccessClass())
	claim, _ := cl.provisioned("data")
	access := cl.access("app", "data")
	cl.Make(access)
	cl.handedOff(access)
	status := access.Status.DeepCopy()
	cl.Must(cl.Delete(context.Background(), access))
	cl.Settle()
	cl.Must(cl.Refresh(access))
	if diff := cmp.Diff(status, &access.Status); diff != "" {
		t.Errorf("status was written although it is the sidecar's (-before +after):\n%s", diff)
	}
	cl.Must(protected(claimNow(cl, claim)))
	cl.finishCleanup(access)
	cl.WaitGone(access)
	cl.Must(unprotected(claimNow(cl, claim))) // and not some time later
}

func claimNow(cl *testCluster, claim *v1alpha2.BucketClaim) *v1alpha2.BucketClaim {
	cl.Helper()
	cl.Must(cl.Refresh(claim))
	return claim
}

// TestE24LastAccess: the annotation stays until the last access has gone.
// KEP: FLOW-REVOKE-4.1, ANNO-3
func TestE24LastAccess(t *testing.T) {
	cl := start(t)
	cl.Make(class(), newAccessClass())
	claim, _ := cl.provisioned("data")
	one, two := cl.access("one", "data"), cl.access("two", "data")
	cl.Make(one, two)
	cl.handedOff(one)
	cl.handedOff(two)
	cl.Must(cl.Delete(context.Background(), one))
	cl.finishCleanup(one)
	cl.WaitGone(one)
	cl.Settle()
	cl.Must(protected(claimNow(cl, claim)))
	cl.Must(cl.Delete(context.Background(), two))
	cl.finishCleanup(two)
	cl.WaitGone(two)
	cl.Must(unprotected(claimNow(cl, claim)))
}

// TestE24AccessesAtOnce: each of the last accesses sees others that go as well.
// KEP: FLOW-REVOKE-4.1
func TestE24AccessesAtOnce(t *testing.T) {
	cl := start(t)
	cl.Make(class(retain), newAccessClass())
	claim, _ := cl.provisioned("data")
	accesses := make([]*v1alpha2.BucketAccess, 10)
	for i := range accesses {
		accesses[i] = cl.access(fmt.Sprintf("app-%d", i), "data")
		cl.Make(accesses[i])
	}
	for _, access := range accesses {
		cl.handedOff(access)
		cl.Must(cl.Delete(context.Background(), access))
	}
	for _, access := range accesses {
		cl.finishCleanup(access)
	}
	for _, access := range accesses {
		cl.WaitGone(access)
	}
	cluster.Await(cl.Cluster, claim, "is released", unprotected)
	cl.Must(cl.Delete(context.Background(), claim))
	cl.WaitGone(claim)
}

// TestAccessRemovedByForce: the claim is released although no access could report its end.
func TestAccessRemovedByForce(t *testing.T) {
	cl := start(t)
	cl.Make(class(), newAccessClass())
	claim, _ := cl.provisioned("data")
	access := cl.access("app", "data")
	cl.Make(access)
	cl.handedOff(access)
	cl.ForceRemove(access)
	cl.WaitGone(access)
	cluster.Await(cl.Cluster, claim, "is released", unprotected)
}

// TestE73DeleteAccessOfLostClaim: the claim has been removed by force.
func TestE73DeleteAccessOfLostClaim(t *testing.T) {
	cl := start(t)
	cl.Make(class(), newAccessClass())
	claim, bucket := cl.provisioned("data")
	access := cl.access("app", "data")
	cl.Make(access)
	cl.handedOff(access)
	cl.ForceRemove(claim)
	cl.ForceRemove(bucket)
	cl.Must(cl.Delete(context.Background(), access))
	cl.finishCleanup(access)
	cl.WaitGone(access)
}

// TestAccessCleanedUpWhileControllerIsDown: the instance that finalizes has not
// seen the hand-off, and asks the API server before it lets the claim go.
// KEP: FLOW-REVOKE-4.2
func TestAccessCleanedUpWhileControllerIsDown(t *testing.T) {
	cl := start(t)
	cl.Make(class(), newAccessClass())
	claim, _ := cl.provisioned("data")
	one, two := cl.access("one", "data"), cl.access("two", "data")
	cl.Make(one, two)
	cl.handedOff(one)
	cl.handedOff(two)
	cl.stopController()
	cl.Must(cl.Delete(context.Background(), one))
	cl.finishCleanup(one)
	cl.startController()
	cl.WaitGone(one)
	cl.Must(protected(claimNow(cl, claim)))
	cl.stopController()
	cl.Must(cl.Delete(context.Background(), two))
	cl.finishCleanup(two)
	cl.startController()
	cl.WaitGone(two)
	cl.Must(unprotected(claimNow(cl, claim)))
}
