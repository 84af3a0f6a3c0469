package v1alpha2

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// InitializeConditions adds those of the three conditions that are missing, as
// Unknown for the reason Pending, which is how the KEP has them start. What is
// there already stays as it is.
func InitializeConditions(conditions *[]metav1.Condition, generation int64) {
	for _, conditionType := range []string{ConditionProvisioned, ConditionResourcesValidated, ConditionProvisionFailed} {
		if meta.FindStatusCondition(*conditions, conditionType) != nil {
			continue
		}
		meta.SetStatusCondition(conditions, metav1.Condition{
			Type:               conditionType,
			Status:             metav1.ConditionUnknown,
			Reason:             ReasonPending,
			ObservedGeneration: generation,
		})
	}
}
