package v1alpha2_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// TestStatusAsJSON checks the status that Go programs send. The schema requires readyToUse in each
// status, so false is sent, too; a program that creates an object sends no status.
func TestStatusAsJSON(t *testing.T) {
	pending := []metav1.Condition{{Type: v1alpha2.ConditionProvisioned, Status: metav1.ConditionUnknown}}
	cases := []struct {
		name           string
		empty, pending runtime.Object
	}{
		{name: "Bucket", empty: &v1alpha2.Bucket{}, pending: &v1alpha2.Bucket{Status: v1alpha2.BucketStatus{Conditions: pending}}},
		{
			name: "BucketClaim", empty: &v1alpha2.BucketClaim{},
			pending: &v1alpha2.BucketClaim{Status: v1alpha2.BucketClaimStatus{Conditions: pending}},
		},
		{
			name: "BucketAccess", empty: &v1alpha2.BucketAccess{},
			pending: &v1alpha2.BucketAccess{Status: v1alpha2.BucketAccessStatus{Conditions: pending}},
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if status, found := toJSON(t, c.empty)["status"]; found {
				t.Errorf("an empty status is sent as %v, want none", status)
			}
			status, ok := toJSON(t, c.pending)["status"].(map[string]any)
			if !ok {
				t.Fatal("a status with a condition is not sent")
			}
			delete(status, "conditions")
			if diff := cmp.Diff(map[string]any{"readyToUse": false}, status); diff != "" {
				t.Errorf("status without its conditions (-want +got):\n%s", diff)
			}
		})
	}
}

func toJSON(t *testing.T, obj runtime.Object) map[string]any {
	t.Helper()
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		t.Fatal(err)
	}
	return fields
}
