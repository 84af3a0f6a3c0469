package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/drivertest"
)

// expectUnheld returns an error while a claim bears the annotation of accesses.
func (cl *testCluster) expectUnheld(claim *v1alpha2.BucketClaim) error {
	if err := cl.Refresh(claim); err != nil {
		return err
	}
	if _, held := claim.Annotations[v1alpha2.HasBucketAccessReferencesAnnotation]; held {
		return errors.New("the claim is held by an access")
	}
	return nil
}

// TestAccessWaitsForItsBuckets: the driver hears of an access when all its
// buckets are there. The claims are held from the beginning.
func TestAccessWaitsForItsBuckets(t *testing.T) {
	cl := newTestCluster(t)
	hold := make(chan struct{})
	cl.driver.Script("DriverCreateBucket", func(ctx context.Context, request proto.Message, next drivertest.Next) (proto.Message, error) {
		if !strings.Contains(fmt.Sprint(request), "slow") {
			return next()
		}
		select {
		case <-hold:
		case <-ctx.Done():
		}
		return next()
	})
	slowClass := cl.bucketClass(func(class *v1alpha2.BucketClass) {
		class.Name += "-slow"
		class.Spec.Parameters = map[string]string{"speed": "slow"}
	})
	quick, slow, access := cl.claim("quick"), cl.claim("slow"), cl.access("app", "quick", "slow")
	slow.Spec.BucketClassName = slowClass.Name
	cl.Make(cl.bucketClass(), slowClass, cl.accessClass(forSeveralBuckets), quick, slow, access)
	cl.WaitReady(quick)
	message := cl.WaitCondition(access, v1alpha2.ConditionProvisioned, metav1.ConditionUnknown, v1alpha2.ReasonWaitingForBucket)
	if !strings.Contains(message, `"slow"`) {
		t.Errorf("the message does not name the claim: %s", message)
	}
	for _, claim := range []*v1alpha2.BucketClaim{quick, slow} {
		cl.Eventually(func() error {
			if err := cl.expectUnheld(claim); err == nil {
				return fmt.Errorf("claim %s is not held", claim.Name)
			}
			return nil
		})
	}
	if calls := cl.driver.Calls("DriverGenerateBucketAccessId", "DriverGrantBucketAccess"); len(calls) > 0 {
		t.Errorf("the driver has heard of the access: %v", calls)
	}
	close(hold)
	cl.WaitReady(slow, access)
}

// TestClaimInUse: a claim with an access stays until the access is gone, and gets
// no new one.
// KEP: FLOW-DELETE-0.4, FLOW-GRANT-0
func TestClaimInUse(t *testing.T) {
	cl := newTestCluster(t)
	claim, access := cl.claim("data"), cl.access("app", "data")
	cl.Make(cl.bucketClass(), cl.accessClass(), claim, access)
	cl.WaitReady(claim, access)
	cl.Remove(claim)
	message := cl.WaitCondition(claim, v1alpha2.ConditionResourcesValidated, metav1.ConditionTrue, v1alpha2.ReasonDeletionBlocked)
	if !strings.Contains(message, "app") {
		t.Errorf("the message does not name the access: %s", message)
	}
	late := cl.access("late", "data")
	cl.Make(late)
	cl.WaitCondition(late, v1alpha2.ConditionProvisioned, metav1.ConditionFalse, v1alpha2.ReasonBucketClaimDeleting)
	cl.WaitCondition(late, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonBucketClaimDeleting)
	cl.expectSecret(access, 0, s3Data(access, bucketID(claim)))

	cl.Remove(access)
	cl.WaitGone(access, claim, bucketOf(claim))
	if buckets, accounts := cl.driver.Buckets(), cl.driver.Accounts(); len(buckets)+len(accounts) > 0 {
		t.Errorf("left in the backend: buckets %v, accounts %v", buckets, accounts)
	}
	// The claim is gone: the rejected access now waits for another of its name.
	cl.WaitCondition(late, v1alpha2.ConditionResourcesValidated, metav1.ConditionUnknown, v1alpha2.ReasonBucketClaimNotFound)
	cl.Remove(late)
	cl.WaitGone(late)
}

// TestBucketOfALiveClaim: an administrator's deletion of a Bucket waits for the
// claim.
// KEP: FLOW-DELETE-0.3
func TestBucketOfALiveClaim(t *testing.T) {
	cl := newTestCluster(t)
	claim := cl.claim("data")
	cl.Make(cl.bucketClass(), cl.accessClass(), claim)
	cl.WaitReady(claim)
	bucket := bucketOf(claim)
	cl.Remove(bucket)
	message := cl.WaitCondition(bucket, v1alpha2.ConditionResourcesValidated, metav1.ConditionTrue, v1alpha2.ReasonDeletionBlocked)
	if !strings.Contains(message, cl.Namespace+"/data") {
		t.Errorf("the message does not name the claim: %s", message)
	}
	cl.WaitCondition(claim, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonBucketDeleting)
	if !slices.Contains(cl.driver.Buckets(), bucketID(claim)) {
		t.Error("the backend's bucket is gone")
	}
	access := cl.access("app", "data")
	cl.Make(access)
	cl.WaitCondition(access, v1alpha2.ConditionProvisioned, metav1.ConditionFalse, v1alpha2.ReasonBucketDeleting)
	cl.Remove(access, claim)
	cl.WaitGone(access, claim, bucket)
	if buckets := cl.driver.Buckets(); len(buckets) > 0 {
		t.Errorf("left in the backend: %v", buckets)
	}
}

// TestRejectedRevocation: an access that the driver does not revoke stays, for all
// to see, and the driver is asked again when it has come back.
func TestRejectedRevocation(t *testing.T) {
	cl := newTestCluster(t)
	claim, access := cl.claim("data"), cl.access("app", "data")
	cl.Make(cl.bucketClass(), cl.accessClass(), claim, access)
	cl.WaitReady(claim, access)
	cl.driver.Fail("DriverRevokeBucketAccess", codes.InvalidArgument, "not today")
	cl.Remove(access)
	message := cl.WaitCondition(access, v1alpha2.ConditionProvisionFailed, metav1.ConditionTrue, v1alpha2.ReasonDriverError)
	if !strings.Contains(message, "not today") {
		t.Errorf("the message is not the driver's: %s", message)
	}
	cl.WaitCondition(access, v1alpha2.ConditionProvisioned, metav1.ConditionTrue, v1alpha2.ReasonProvisioned)
	cl.WaitGone(secretOf(access, 0))
	cl.driver.Stop() // in these tests no time passes until a retry
	cl.driver.Script("DriverRevokeBucketAccess", nil)
	cl.driver.Serve()
	cl.WaitGone(access)
	cl.Eventually(func() error { return cl.expectUnheld(claim) })
	if accounts := cl.driver.Accounts(); len(accounts) > 0 {
		t.Errorf("accounts left: %v", accounts)
	}
}
