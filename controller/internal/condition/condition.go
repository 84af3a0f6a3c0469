// Package condition keeps the three COSI conditions of an object: all of them
// always present, with the generation that they were found out for, and changed
// only when there is something new to say.
package condition

import (
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// maxMessage is the longest message that is kept, in bytes. The API server
// allows 32 KiB, but a driver's error copied from object to object should not
// fill the store, and 1 KiB is what fits into an Event.
const maxMessage = 1024

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
			s.Set(t, metav1.ConditionUnknown, v1alpha2.ReasonPending, "nothing is known yet")
		}
		s.get(t).ObservedGeneration = generation
	}
	return s
}

// Set sets one condition. The time of transition changes with the status only.
func (s Set) Set(conditionType string, status metav1.ConditionStatus, reason, message string) {
	meta.SetStatusCondition(s.conditions, metav1.Condition{
		Type: conditionType, Status: status, Reason: reason, Message: clip(message), ObservedGeneration: s.generation,
	})
}

// Provisioned reports whether the condition of that name is True.
func (s Set) Provisioned() bool {
	return meta.IsStatusConditionTrue(*s.conditions, v1alpha2.ConditionProvisioned)
}

func (s Set) get(conditionType string) *metav1.Condition {
	return meta.FindStatusCondition(*s.conditions, conditionType)
}

func clip(message string) string {
	if len(message) <= maxMessage {
		return message
	}
	const ellipsis = "..."
	return strings.ToValidUTF8(message[:maxMessage-len(ellipsis)], "") + ellipsis
}
