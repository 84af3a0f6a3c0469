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
	w := newWorld(t)
	w.driver.Fail("DriverGrantBucketAccess", codes.Unavailable, "the backend is away")
	w.start()
	bucket := w.readyBucket()
	access := w.access([]*v1alpha2.Bucket{bucket})
	w.Eventually(func() error { return w.toldOnce(access, v1alpha2.ReasonFailedGrantAccess) })
	w.Must(w.Delete(t.Context(), access))
	w.isHandedBack(access)
	w.Eventually(func() error { return w.toldOnce(access, v1alpha2.ReasonDeprovisioned) })
	w.releaseClaim(bucket)
	w.Must(w.Delete(t.Context(), bucket))
	w.WaitGone(bucket)
	w.Eventually(func() error { return w.toldOnce(bucket, v1alpha2.ReasonDeprovisioned) })
}

// A request that the API server rejects is no condition of the object, which perhaps
// cannot be written. It is one Event, however often it is retried.
// KEP: COND-ALL-1, REASON-31
func TestAPIErrorIsReported(t *testing.T) {
	w := newWorld(t)
	name := v1alpha2.BucketNameForClaim("01234567-89ab-cdef-0123-456789abcdef")
	w.requests.Reject(http.MethodPatch, "/buckets/"+name)
	w.start()
	bucket := w.bucket(func(b *v1alpha2.Bucket) { b.Name = name })
	w.Eventually(func() error { return w.toldOnce(bucket, v1alpha2.ReasonAPIError) })
	w.Eventually(func() error {
		if len(w.requests.Writes()) < 4 {
			return errors.New("it is not tried again")
		}
		return nil
	})
	w.Must(w.toldOnce(bucket, v1alpha2.ReasonAPIError))
	w.requests.Intercept(nil)
	w.WaitReady(bucket)
}

// Conditions have the generation that they were found out for.
// KEP: COND-ALL-2, API-BUCKET-STATUS-1
func TestConditionsFollowTheGeneration(t *testing.T) {
	w := newWorld(t)
	w.start()
	bucket := w.readyBucket()
	before := bucket.Generation
	w.Modify(bucket, func() { bucket.Spec.DeletionPolicy = v1alpha2.DeletionPolicyRetain })
	if bucket.Generation == before {
		t.Fatal("the generation has not changed")
	}
	w.Eventually(func() error { return w.isUpToDate(bucket) })
	access := w.readyAccess(bucket)
	w.Must(w.isUpToDate(access))
}

func (w *world) isUpToDate(object client.Object) error {
	if err := w.Refresh(object); err != nil {
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
