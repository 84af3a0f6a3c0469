package statuspatch

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/condition"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

// Status is what the statuses of Buckets and BucketAccesses have in common, and
// what has to agree in them. It points into the object that it is of.
type Status struct {
	// ID is what the backend knows the object by.
	ID *string
	// Incomplete is set when something is missing that the driver has to have
	// said of a provisioned object, beside the ID.
	Incomplete bool
	Conditions *[]metav1.Condition
	ReadyToUse *bool

	// Generation is that of the object.
	Generation int64
	// Deleting is set when the object is being deleted.
	Deleting bool
	// Unwanted is set when the object is not to be used any more, although it is
	// not being deleted.
	Unwanted bool
	// LetGo is set when nothing of the sidecar holds the object any more. It may
	// have vanished, and is not to be written.
	LetGo bool
}

// Provisioned reports whether the backend has what the object stands for, so far
// as the status can tell. A condition alone proves nothing: without its ID it
// cannot be found.
func (s Status) Provisioned() bool {
	return !s.lacking() && s.claimsToBeProvisioned()
}

func (s Status) lacking() bool { return *s.ID == "" || s.Incomplete }

// Ready is what status.readyToUse ought to be, whatever somebody has written
// there.
func (s Status) Ready() bool {
	return s.Provisioned() && !s.Deleting && !s.Unwanted
}

// Plausible reports whether the status may be one that the sidecar has left
// behind. Otherwise somebody else has written it.
func (s Status) Plausible() bool {
	return *s.ReadyToUse == s.Ready() && !slices.ContainsFunc(*s.Conditions, func(c metav1.Condition) bool {
		return condition.IsOurs(c.Type) && c.ObservedGeneration > s.Generation
	})
}

// WorseThan reports whether the status says something worse than the one before
// it. If the sidecar has not found that out itself, it is for it to put right; if
// it has, looking once more changes nothing.
func (s Status) WorseThan(before Status) bool {
	lost := func(conditionType string, good metav1.ConditionStatus) bool {
		return meta.IsStatusConditionPresentAndEqual(*before.Conditions, conditionType, good) &&
			!meta.IsStatusConditionPresentAndEqual(*s.Conditions, conditionType, good)
	}
	return before.Provisioned() && !s.Provisioned() ||
		len(*before.Conditions) > len(*s.Conditions) ||
		!s.Deleting && s.Provisioned() && lost(v1alpha2.ConditionProvisionFailed, metav1.ConditionFalse) ||
		!s.Deleting && lost(v1alpha2.ConditionResourcesValidated, metav1.ConditionTrue)
}

// succeed writes down that the driver has provisioned what the object stands
// for.
func (s Status) succeed(message string) {
	s.conditions().Set(v1alpha2.ConditionProvisioned, metav1.ConditionTrue, v1alpha2.ReasonProvisioned, message)
	s.confirm()
}

// confirm writes down that nothing is wrong with what has been provisioned. The
// latest call for it has succeeded: otherwise it would have been repeated.
func (s Status) confirm() {
	s.conditions().Set(v1alpha2.ConditionProvisionFailed, metav1.ConditionFalse, v1alpha2.ReasonDriverSucceeded,
		"the latest call to the driver succeeded")
	s.conditions().Validate()
}

// conclude brings conditions and readyToUse in line with what has been found,
// which may be nothing.
func (s Status) conclude(found *reasons.Error) {
	conditions := s.conditions()
	switch {
	case found != nil:
		conditions.Record(found)
	case s.Provisioned() && !s.Deleting:
		s.confirm()
	}
	*s.ReadyToUse = s.Ready()
}

// distrust takes back a Provisioned that is True without an ID, or without what
// belongs to it: somebody else has written it, and it must not come true by what
// is added later.
func (s Status) distrust() {
	if s.lacking() && s.claimsToBeProvisioned() {
		s.conditions().Forget(v1alpha2.ConditionProvisioned)
	}
}

func (s Status) claimsToBeProvisioned() bool {
	return meta.IsStatusConditionTrue(*s.Conditions, v1alpha2.ConditionProvisioned)
}

func (s Status) conditions() condition.Set {
	return condition.Of(s.Conditions, s.Generation)
}
