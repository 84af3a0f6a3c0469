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
	cl := start(t)
	const impossible = "3Par.example"
	cl.Make(class(func(s *v1alpha2.BucketClassSpec) { s.DriverName = impossible }),
		newAccessClass(func(s *v1alpha2.BucketAccessClassSpec) { s.DriverName = impossible }))
	claim, access := cl.claim("data"), cl.access("app", "data")
	cl.Make(claim, access)
	cl.WaitCondition(claim, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonInvalidSpec)
	cl.WaitCondition(access, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonInvalidSpec)
	for _, possible := range []client.Object{class(), newAccessClass()} {
		cl.Must(cl.Delete(context.Background(), possible))
		cl.Make(possible)
	}
	bucket := cl.bucketOf(claim)
	cl.report(bucket, provision)
	cl.handedOff(access)
}
