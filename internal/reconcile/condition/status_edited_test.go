package condition

import (
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

// TestRegressedFrom: the changes after which the sidecar reconciles an object again, and restores
// it.
func TestRegressedFrom(t *testing.T) {
	failed, _ := reasons.As(reasons.Failed("R", "m"))
	set := func(conditionType string, status metav1.ConditionStatus) func(*Status) {
		return func(s *Status) {
			meta.SetStatusCondition(s.Conditions, metav1.Condition{Type: conditionType, Status: status, Reason: "ByHand"})
		}
	}
	cases := []struct {
		name   string
		reason string
		edit   func(*Status)
		want   bool
	}{
		{"the same", "nothing has changed", func(*Status) {}, false},
		{"removed", "the conditions are always there", func(s *Status) { *s.Conditions = nil }, true},
		{"not provisioned", "it was", set(v1alpha2.ConditionProvisioned, metav1.ConditionFalse), true},
		{"failed", "it may be the sidecar's own word, or not", set(v1alpha2.ConditionProvisionFailed, metav1.ConditionTrue), true},
		{"failed while deleting", "what fails then is the deletion", func(s *Status) {
			set(v1alpha2.ConditionProvisionFailed, metav1.ConditionTrue)(s)
			s.Deleting = true
		}, false},
		{"invalid", "it may be the sidecar's own word, or not", set(v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse), true},
		{"another component's", "it is not the sidecar's", set("example.com/Audited", metav1.ConditionFalse), false},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			before, after := newStatus("id", isProvisioned()), newStatus("id", isProvisioned())
			before.Conclude(nil)
			after.Conclude(nil)
			tc.edit(&after)
			if got := after.RegressedFrom(before); got != tc.want {
				t.Errorf("%s: regressed %t, want %t", tc.reason, got, tc.want)
			}
		})
	}
	t.Run("put right", func(t *testing.T) {
		status := newStatus("id", isProvisioned())
		status.Conclude(failed)
		status.Conclude(nil)
		if meta.IsStatusConditionTrue(*status.Conditions, v1alpha2.ConditionProvisionFailed) {
			t.Errorf("it has still failed: %v", *status.Conditions)
		}
	})
}

// TestFutureGenerationIsInconsistent: no component has observed a later generation.
func TestFutureGenerationIsInconsistent(t *testing.T) {
	for _, tc := range []struct {
		name          string
		conditionType string
		want          bool
	}{
		{"ours", v1alpha2.ConditionResourcesValidated, false},
		{"another component's", "example.com/Audited", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			status := newStatus("id", isProvisioned())
			status.Conclude(nil)
			meta.SetStatusCondition(status.Conditions, metav1.Condition{
				Type: tc.conditionType, Status: metav1.ConditionTrue, ObservedGeneration: 99,
			})
			if got := status.IsConsistent(); got != tc.want {
				t.Errorf("consistent %t, want %t", got, tc.want)
			}
		})
	}
}
