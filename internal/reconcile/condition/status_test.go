package condition

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

func newStatus(id string, conditions ...metav1.Condition) Status {
	return Status{Conditions: &conditions, ReadyToUse: new(false), Generation: 1, Incomplete: id == "", CallsDriver: true}
}

func isProvisioned() metav1.Condition {
	return metav1.Condition{Type: v1alpha2.ConditionProvisioned, Status: metav1.ConditionTrue, Reason: v1alpha2.ReasonProvisioned}
}

// KEP: CHANGE-18, TEST-1
func TestConclude(t *testing.T) {
	type outcome struct {
		Ready     bool
		Validated metav1.ConditionStatus
	}
	lost, _ := reasons.As(reasons.Lost("R", "m"))
	failed, _ := reasons.As(reasons.Failed("R", "m"))
	cases := []struct {
		name   string
		reason string
		status Status
		change func(*Status)
		found  *reasons.Error
		want   outcome
	}{
		{name: "new", reason: "nothing is known yet", status: newStatus(""), want: outcome{false, metav1.ConditionUnknown}},
		{
			name: "provisioned", reason: "it can be used",
			status: newStatus("id", isProvisioned()), want: outcome{true, metav1.ConditionTrue},
		},
		{
			name: "no ID", reason: "what cannot be found cannot be used",
			status: newStatus("", isProvisioned()), want: outcome{false, metav1.ConditionUnknown},
		},
		{
			name: "deleting", reason: "it must not get new users", status: newStatus("id", isProvisioned()),
			change: func(s *Status) { s.Deleting = true }, want: outcome{false, metav1.ConditionUnknown},
		},
		{
			name: "unwanted", reason: "it must not get new users", status: newStatus("id", isProvisioned()),
			change: func(s *Status) { s.Unwanted = true }, want: outcome{false, metav1.ConditionTrue},
		},
		{
			name: "a failure afterwards", reason: "it can be used all the same",
			status: newStatus("id", isProvisioned()), found: failed, want: outcome{true, metav1.ConditionTrue},
		},
		{
			name: "lost", reason: "there is nothing to use",
			status: newStatus("id", isProvisioned()), found: lost, want: outcome{false, metav1.ConditionFalse},
		},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			status := tc.status
			if tc.change != nil {
				tc.change(&status)
			}
			status.ResetIncomplete() // as the runner does before the first phase
			status.Conclude(tc.found)
			validated := meta.FindStatusCondition(*status.Conditions, v1alpha2.ConditionResourcesValidated).Status
			if diff := cmp.Diff(tc.want, outcome{*status.ReadyToUse, validated}); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if !status.IsConsistent() {
				t.Error("the status is not consistent for its writer")
			}
		})
	}
}

func TestResetIncomplete(t *testing.T) {
	cases := []struct {
		name   string
		reason string
		id     string
		want   bool
	}{
		{"with an ID", "the sidecar may have written it", "id", true},
		{"without an ID", "the sidecar cannot have written it", "", false},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			status := newStatus(tc.id, isProvisioned())
			status.ResetIncomplete()
			status.Incomplete = false // an ID is added later
			if got := status.IsProvisioned(); got != tc.want {
				t.Errorf("%s: provisioned %t, want %t", tc.reason, got, tc.want)
			}
		})
	}
}
