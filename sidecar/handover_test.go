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
			w := newWorld(t)
			w.start()
			bucket := w.readyBucket()
			w.settle()
			w.requests.Reset()
			access := w.access([]*v1alpha2.Bucket{bucket}, func(a *v1alpha2.BucketAccess) {
				a.Finalizers = nil
				a.Status.DriverName = of
			})
			w.settle()
			w.Must(w.Refresh(access))
			if writes := w.requests.Writes(); len(writes) > 0 || len(access.Finalizers) > 0 {
				t.Errorf("writes %v, finalizers %v", writes, access.Finalizers)
			}
			if calls := w.driver.Calls("DriverGenerateBucketAccessId", "DriverGrantBucketAccess"); len(calls) > 0 {
				t.Errorf("calls: %v", calls)
			}
		})
	}
}

// The claim began to be deleted after the hand-off, and the Bucket with it.
// KEP: FLOW-GRANT-4.5, REASON-19
func TestNoAccessToABucketThatIsBeingDeleted(t *testing.T) {
	w := newWorld(t)
	w.start()
	bucket := w.readyBucket()
	w.Must(w.Delete(t.Context(), bucket))
	access := w.access([]*v1alpha2.Bucket{bucket})
	w.WaitCondition(access, v1alpha2.ConditionProvisioned, metav1.ConditionFalse, v1alpha2.ReasonBucketDeleting)
	w.WaitCondition(access, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonBucketDeleting)
	w.settle()
	if calls := w.driver.Calls("DriverGenerateBucketAccessId", "DriverGrantBucketAccess"); len(calls) > 0 {
		t.Errorf("calls: %v", calls)
	}
}

// Trouble after success shows in the other conditions: what was provisioned is
// still there.
// KEP: FLOW-GRANT-4.9, COND-PROV-5, COND-PROV-6, COND-FAILED-5, COND-ACCESS-8, STATUS-BUCKET-2
func TestFailureAfterSuccess(t *testing.T) {
	w := newWorld(t)
	stop := w.start()
	access := w.readyAccess(w.readyBucket())
	w.settle()
	stop()
	w.driver.Fail("DriverGrantBucketAccess", codes.Unauthenticated, "the driver's own password has expired")
	w.start()
	w.WaitCondition(access, v1alpha2.ConditionProvisionFailed, metav1.ConditionTrue, v1alpha2.ReasonDriverError)
	w.WaitCondition(access, v1alpha2.ConditionProvisioned, metav1.ConditionTrue, v1alpha2.ReasonProvisioned)
	w.Must(w.isGranted(access))
	w.driver.Script("DriverGrantBucketAccess", nil)
	w.WaitCondition(access, v1alpha2.ConditionProvisionFailed, metav1.ConditionFalse, v1alpha2.ReasonDriverSucceeded)
}
