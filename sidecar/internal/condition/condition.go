// Package condition keeps the three COSI conditions of an object: all of them
// always present, with the generation that they were found out for, and changed
// only when there is something new to say.
package condition

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// types are all the condition types, in the order in which users see them.
var types = []string{
	v1alpha2.ConditionProvisioned,
	v1alpha2.ConditionResourcesValidated,
	v1alpha2.ConditionProvisionFailed,
}

// Set is the conditions of one object, as they are being worked out.
type Set struct {
	conditions *[]metav1.Condition
	generation int64
}

// Of returns the conditions of an object of the given generation. Those that
// are missing start as Unknown.
func Of(conditions *[]metav1.Condition, generation int64) Set {
	s := Set{conditions: conditions, generation: generation}
	for _, t := range types {
		if s.get(t) == nil {
			s.set(t, metav1.ConditionUnknown, v1alpha2.ReasonPending, "nothing is known yet")
		}
		s.get(t).ObservedGeneration = generation
	}
	return s
}

// Provisioned reports whether the condition of that name is True.
func (s Set) Provisioned() bool {
	return meta.IsStatusConditionTrue(*s.conditions, v1alpha2.ConditionProvisioned)
}

// set sets one condition. The time of transition changes with the status only. A
// message that differs from the present one in nothing but numbers is not news.
func (s Set) set(conditionType string, status metav1.ConditionStatus, reason, message string) {
	present := s.get(conditionType)
	if present != nil && present.Status == status && present.Reason == reason && sameButNumbers(present.Message, message) {
		return
	}
	meta.SetStatusCondition(s.conditions, metav1.Condition{
		Type: conditionType, Status: status, Reason: reason, Message: message, ObservedGeneration: s.generation,
	})
}

func (s Set) get(conditionType string) *metav1.Condition {
	return meta.FindStatusCondition(*s.conditions, conditionType)
}
