package controller_test

import (
	"context"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// TestE40InvalidDriverName: the API accepts a class of a driver whose name
// no sidecar can register, and everything of that class would wait forever.
// KEP: COND-CLAIM-4
func TestE40InvalidDriverName(t *testing.T) {
	h := start(t)
	const impossible = "3Par.example"
	h.make(class(func(s *v1alpha2.BucketClassSpec) { s.DriverName = impossible }),
		newAccessClass(func(s *v1alpha2.BucketAccessClassSpec) { s.DriverName = impossible }))
	claim, access := h.claim("data"), h.access("app", "data")
	h.make(claim, access)
	h.claimSays(claim, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonInvalidSpec)
	h.accessSays(access, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonInvalidSpec)
	for _, possible := range []client.Object{class(), newAccessClass()} {
		h.must(h.Delete(context.Background(), possible))
		h.make(possible)
	}
	bucket := h.bucketOf(claim)
	h.report(bucket, provision)
	h.handedOff(access)
}
