package condition

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

// Status is the part of the status that BucketClaims, Buckets and BucketAccesses share. It points
// into its object.
type Status struct {
	Conditions *[]metav1.Condition
	ReadyToUse *bool

	Generation int64
	// Incomplete is set when a field is empty that every provisioned object has, such as its ID.
	// The condition Provisioned is not enough: without an ID, the bucket or access cannot be found.
	Incomplete bool
	Deleting   bool
	// Unwanted is set when the object must not be used any more, although it is not being deleted.
	Unwanted bool
	// CallsDriver is set in the component that calls the driver, which alone knows that the latest
	// call has succeeded.
	CallsDriver bool
	// Foreign is set when another component maintains the status. Then ResetIncomplete
	// and Conclude change nothing.
	Foreign bool
}

// IsProvisioned reports whether, by the status, the backend has the bucket or access.
func (s Status) IsProvisioned() bool { return !s.Incomplete && s.saysProvisioned() }

// IsReady returns the correct value of status.readyToUse.
func (s Status) IsReady() bool { return s.IsProvisioned() && !s.Deleting && !s.Unwanted }

// Current returns the conditions.
func (s Status) Current() []metav1.Condition { return *s.Conditions }

// IsConsistent reports whether this component may have written the status. Otherwise it has been
// edited.
func (s Status) IsConsistent() bool {
	return *s.ReadyToUse == s.IsReady() && !slices.ContainsFunc(*s.Conditions, func(c metav1.Condition) bool {
		return IsOurs(c.Type) && c.ObservedGeneration > s.Generation
	})
}

// RegressedFrom reports whether the status is worse than an earlier one. If another writer caused
// that, this component must restore it; after its own write, another reconcile changes nothing.
func (s Status) RegressedFrom(before Status) bool {
	lost := func(conditionType string, good metav1.ConditionStatus) bool {
		return meta.IsStatusConditionPresentAndEqual(*before.Conditions, conditionType, good) &&
			!meta.IsStatusConditionPresentAndEqual(*s.Conditions, conditionType, good)
	}
	return before.IsProvisioned() && !s.IsProvisioned() ||
		len(*before.Conditions) > len(*s.Conditions) ||
		!s.Deleting && s.IsProvisioned() && lost(v1alpha2.ConditionProvisionFailed, metav1.ConditionFalse) ||
		!s.Deleting && lost(v1alpha2.ConditionResourcesValidated, metav1.ConditionTrue)
}

// ResetIncomplete resets a Provisioned that is True in an incomplete status. It has been edited,
// and must not become valid by later additions to the status.
func (s Status) ResetIncomplete() {
	if s.Incomplete && !s.Foreign && s.saysProvisioned() {
		s.set().Reset(v1alpha2.ConditionProvisioned)
	}
}

// Succeed records that the driver has provisioned the object's bucket or access.
func (s Status) Succeed(message string) {
	s.set().Set(v1alpha2.ConditionProvisioned, metav1.ConditionTrue, v1alpha2.ReasonProvisioned, message)
	s.confirm()
}

// Conclude updates conditions and readyToUse for the outcome of a reconcile, which is nil on
// success.
func (s Status) Conclude(found *reasons.Error) {
	if s.Foreign {
		return
	}
	conditions := s.set()
	switch {
	case found != nil:
		conditions.Record(found)
	case s.CallsDriver && s.IsProvisioned() && !s.Deleting:
		s.confirm()
	}
	*s.ReadyToUse = s.saysProvisioned() && !s.Deleting && !s.Unwanted
}

// confirm records that the provisioned object has no failure. Its latest call has
// succeeded: otherwise the call would have been repeated.
func (s Status) confirm() {
	conditions := s.set()
	conditions.Set(v1alpha2.ConditionProvisionFailed, metav1.ConditionFalse, v1alpha2.ReasonDriverSucceeded,
		"the latest call to the driver succeeded")
	conditions.MarkValidated()
}

func (s Status) saysProvisioned() bool {
	return meta.IsStatusConditionTrue(*s.Conditions, v1alpha2.ConditionProvisioned)
}

func (s Status) set() Set { return For(s.Conditions, s.Generation) }
