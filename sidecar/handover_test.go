package sidecar_test

import (
	"testing"

	"google.golang.org/grpc/codes"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// An access whose status names no driver is the controller's, and one that names
// another driver is another sidecar's.
// KEP: FLOW-GRANT-2, FLOW-GRANT-4.2
func TestAccessesOfOthersAreLeftAlone(t *testing.T) {
	for name, of := range map[string]string{"NotHandedOver": "", "OtherDriver": "other.test"} {
		t.Run(name, func(t *testing.T) {
			cl := newTestCluster(t)
			cl.start()
			bucket := cl.readyBucket()
			cl.settle()
			cl.Requests.Reset()
			access := cl.access([]*v1alpha2.Bucket{bucket}, func(a *v1alpha2.BucketAccess) {
				a.Finalizers = nil
				a.Status.DriverName = of
			})
			cl.settle()
			cl.Must(cl.Refresh(access))
			if writes := cl.Requests.Writes(); len(writes) > 0 || len(access.Finalizers) > 0 {
				t.Errorf("writes %v, finalizers %v", writes, access.Finalizers)
			}
			if calls := cl.driver.Calls("DriverGenerateBucketAccessId", "DriverGrantBucketAccess"); len(calls) > 0 {
				t.Errorf("calls: %v", calls)
			}
		})
	}
}

// The claim began to be deleted after the hand-off, and the Bucket with it.
// KEP: FLOW-GRANT-4.5, REASON-19
func TestNoAccessToABucketThatIsBeingDeleted(t *testing.T) {
	cl := newTestCluster(t)
	cl.start()
	bucket := cl.readyBucket()
	cl.Must(cl.Delete(t.Context(), bucket))
	access := cl.access([]*v1alpha2.Bucket{bucket})
	cl.WaitCondition(access, v1alpha2.ConditionProvisioned, metav1.ConditionFalse, v1alpha2.ReasonBucketDeleting)
	cl.WaitCondition(access, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonBucketDeleting)
	cl.settle()
	// An ID may be asked for while the cache does not show the deletion yet; that creates nothing.
	if calls := cl.driver.Calls("DriverGrantBucketAccess"); len(calls) > 0 {
		t.Errorf("calls: %v", calls)
	}
}

// Trouble after success shows in the other conditions: the bucket or the account still exists.
// KEP: FLOW-GRANT-4.9, COND-PROV-5, COND-PROV-6, COND-FAILED-5, COND-ACCESS-8, STATUS-BUCKET-2
func TestFailureAfterSuccess(t *testing.T) {
	cl := newTestCluster(t)
	stop := cl.start()
	access := cl.readyAccess(cl.readyBucket())
	cl.settle()
	stop()
	cl.driver.Fail("DriverGrantBucketAccess", codes.Unauthenticated, "the driver's own password has expired")
	cl.start()
	cl.WaitCondition(access, v1alpha2.ConditionProvisionFailed, metav1.ConditionTrue, v1alpha2.ReasonDriverError)
	cl.WaitCondition(access, v1alpha2.ConditionProvisioned, metav1.ConditionTrue, v1alpha2.ReasonProvisioned)
	cl.Must(cl.isGranted(access))
	cl.driver.Script("DriverGrantBucketAccess", nil)
	cl.WaitCondition(access, v1alpha2.ConditionProvisionFailed, metav1.ConditionFalse, v1alpha2.ReasonDriverSucceeded)
}
