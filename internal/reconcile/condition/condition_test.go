package condition

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

const (
	yes     = metav1.ConditionTrue
	no      = metav1.ConditionFalse
	unknown = metav1.ConditionUnknown
)

// short is Provisioned, ResourcesValidated and ProvisionFailed, each as status and reason.
type short [3][2]string

func shorten(conditions []metav1.Condition) short {
	var s short
	for i, c := range conditions {
		s[i] = [2]string{string(c.Status), c.Reason}
	}
	return s
}

func provisioned() []metav1.Condition {
	var conditions []metav1.Condition
	s := For(&conditions, 1)
	s.Set(v1alpha2.ConditionProvisioned, yes, v1alpha2.ReasonProvisioned, "")
	s.Set(v1alpha2.ConditionResourcesValidated, yes, v1alpha2.ReasonValidated, "")
	s.Set(v1alpha2.ConditionProvisionFailed, no, v1alpha2.ReasonDriverSucceeded, "")
	return conditions
}

// KEP: COND-PROV-2, COND-VALID-2, COND-FAILED-2, REASON-1
func TestForStartsUnknown(t *testing.T) {
	var got []metav1.Condition
	For(&got, 7)
	var want []metav1.Condition
	for _, conditionType := range []string{"Provisioned", "ResourcesValidated", "ProvisionFailed"} {
		want = append(want, metav1.Condition{
			Type: conditionType, Status: unknown, Reason: "Pending", Message: "nothing is known yet", ObservedGeneration: 7,
		})
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(metav1.Condition{}, "LastTransitionTime")); diff != "" {
		t.Errorf("conditions (-want +got):\n%s", diff)
	}
}

func TestForKeepsAndUpdates(t *testing.T) {
	got := provisioned()
	For(&got, 9)
	for _, c := range got {
		if c.ObservedGeneration != 9 {
			t.Errorf("condition %s is of generation %d, want 9", c.Type, c.ObservedGeneration)
		}
	}
	if diff := cmp.Diff(shorten(provisioned()), shorten(got)); diff != "" {
		t.Errorf("conditions changed (-want +got):\n%s", diff)
	}
}
