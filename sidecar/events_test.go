package sidecar_test

import (
	"errors"
	"net/http"
	"testing"

	"google.golang.org/grpc/codes"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/cluster"
)

// The user of an access gets an Event that it was not granted, and the administrator one
// for the final result of a Bucket.
// KEP: EVENT-ACCESS-2, REASON-29
func TestEventsOfFinalResults(t *testing.T) {
	cl := newTestCluster(t)
	cl.driver.Fail("DriverGrantBucketAccess", codes.Unavailable, "the backend is away")
	cl.start()
	bucket := cl.readyBucket()
	access := cl.access([]*v1alpha2.Bucket{bucket})
	cl.Eventually(func() error { return cl.toldOnce(access, v1alpha2.ReasonFailedGrantAccess) })
	cl.Must(cl.Delete(t.Context(), access))
	cl.isHandedBack(access)
	cl.Eventually(func() error { return cl.toldOnce(access, v1alpha2.ReasonDeprovisioned) })
	cl.releaseClaim(bucket)
	cl.Must(cl.Delete(t.Context(), bucket))
	cl.WaitGone(bucket)
	cl.Eventually(func() error { return cl.toldOnce(bucket, v1alpha2.ReasonDeprovisioned) })
}

// A request that the API server rejects is no condition of the object, which perhaps
// cannot be written. It is one Event, however often it is retried.
// KEP: COND-ALL-1, REASON-31
func TestAPIErrorIsReported(t *testing.T) {
	cl := newTestCluster(t)
	name := v1alpha2.BucketNameForClaim("01234567-89ab-cdef-0123-456789abcdef")
	cl.Requests.Reject(http.MethodPatch, "/buckets/"+name)
	cl.start()
	bucket := cl.bucket(func(b *v1alpha2.Bucket) { b.Name = name })
	cl.Eventually(func() error { return cl.toldOnce(bucket, v1alpha2.ReasonAPIError) })
	cl.Eventually(func() error {
		if len(cl.Requests.Writes()) < 4 {
			return errors.New("it is not tried again")
		}
		return nil
	})
	cl.Must(cl.toldOnce(bucket, v1alpha2.ReasonAPIError))
	cl.Requests.Intercept(nil)
	cl.WaitReady(bucket)
}

// Conditions have the generation that they were found out for.
// KEP: COND-ALL-2, API-BUCKET-STATUS-1
func TestConditionsFollowTheGeneration(t *testing.T) {
	cl := newTestCluster(t)
	cl.start()
	bucket := cl.readyBucket()
	before := bucket.Generation
	cl.Modify(bucket, func() { bucket.Spec.DeletionPolicy = v1alpha2.DeletionPolicyRetain })
	if bucket.Generation == before {
		t.Fatal("the generation has not changed")
	}
	cl.Eventually(func() error { return cl.isUpToDate(bucket) })
	access := cl.readyAccess(bucket)
	cl.Must(cl.isUpToDate(access))
}

func (cl *testCluster) isUpToDate(object client.Object) error {
	if err := cl.Refresh(object); err != nil {
		return err
	}
	types := map[string]bool{}
	for _, c := range cluster.Conditions(object) {
		types[c.Type] = true
		if c.ObservedGeneration != object.GetGeneration() || c.Status == metav1.ConditionUnknown {
			return errors.New(cluster.Lines([]metav1.Condition{c})[0])
		}
	}
	if len(types) != 3 {
		return errors.New("a condition is missing")
	}
	return nil
}
