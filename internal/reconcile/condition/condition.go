// Package condition maintains the three COSI conditions of an object. All three are always present,
// each with its observed generation, and they change only with new information.
package condition

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// types are all condition types, in display order.
var types = []string{
	v1alpha2.ConditionProvisioned,
	v1alpha2.ConditionResourcesValidated,
	v1alpha2.ConditionProvisionFailed,
}

// IsOurs reports whether COSI maintains conditions of that type. All others belong to other
// writers.
func IsOurs(conditionType string) bool { return slices.Contains(types, conditionType) }

// Set has the conditions of one object, for a reconcile to change.
type Set struct {
	conditions *[]metav1.Condition
	generation int64
}

// For returns the conditions of an object of the given generation. Missing conditions start as
// Unknown.
func For(conditions *[]metav1.Condition, generation int64) Set {
	s := Set{conditions: conditions, generation: generation}
	for _, t := range types {
		if s.find(t) == nil {
			s.Reset(t)
		}
		s.find(t).ObservedGeneration = generation
	}
	return s
}

// Set sets one condition. The transition time changes only with the status. An equivalent message
// leaves the condition as it is.
func (s Set) Set(conditionType string, status metav1.ConditionStatus, reason, message string) {
	message = Clip(message)
	present := s.find(conditionType)
	if present != nil && present.Status == status && present.Reason == reason && IsSameMessage(reason, present.Message, message) {
		return
	}
	meta.SetStatusCondition(s.conditions, metav1.Condition{
		Type: conditionType, Status: status, Reason: reason, Message: message, ObservedGeneration: s.generation,
	})
}

// Reset sets one condition back to Unknown, as in a new object.
func (s Set) Reset(conditionType string) {
	s.Set(conditionType, metav1.ConditionUnknown, v1alpha2.ReasonPending, "nothing is known yet")
}

// Get returns a copy of one condition.
func (s Set) Get(conditionType string) metav1.Condition {
	return *s.find(conditionType)
}

// IsProvisioned reports whether the condition Provisioned is True.
func (s Set) IsProvisioned() bool {
	return meta.IsStatusConditionTrue(*s.conditions, v1alpha2.ConditionProvisioned)
}

func (s Set) find(conditionType string) *metav1.Condition {
	return meta.FindStatusCondition(*s.conditions, conditionType)
}
