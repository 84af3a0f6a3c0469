package condition

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/sidecar/internal/finding"
)

// Succeed writes down that the driver has provisioned the object.
func (s Set) Succeed(message string) {
	s.set(v1alpha2.ConditionProvisioned, metav1.ConditionTrue, v1alpha2.ReasonProvisioned, message)
	s.set(v1alpha2.ConditionProvisionFailed, metav1.ConditionFalse, v1alpha2.ReasonDriverSucceeded, "the latest call to the driver succeeded")
	s.Validate()
}

// Validate writes down that the object, and those it refers to, are valid.
func (s Set) Validate() {
	s.set(v1alpha2.ConditionResourcesValidated, metav1.ConditionTrue, v1alpha2.ReasonValidated, "all that is needed exists and is valid")
}

// Doubt takes back a Provisioned that is True although it cannot be.
func (s Set) Doubt() {
	if s.Provisioned() {
		s.set(v1alpha2.ConditionProvisioned, metav1.ConditionUnknown, v1alpha2.ReasonPending, "nothing is known yet")
	}
}

// Record writes a finding down.
func (s Set) Record(f *finding.Error) {
	switch f.Kind {
	case finding.KindWaiting:
		s.set(v1alpha2.ConditionResourcesValidated, metav1.ConditionUnknown, f.Reason, f.Message)
		s.unprovisioned(metav1.ConditionUnknown, f)
	case finding.KindBlocked:
		was := s.get(v1alpha2.ConditionResourcesValidated).Status
		s.set(v1alpha2.ConditionResourcesValidated, was, f.Reason, f.Message)
	case finding.KindInvalid:
		s.set(v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, f.Reason, f.Message)
		s.unprovisioned(metav1.ConditionFalse, f)
	case finding.KindUnwritable:
		s.set(v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, f.Reason, f.Message)
		s.unprovisioned(metav1.ConditionUnknown, f)
	case finding.KindFailed:
		s.set(v1alpha2.ConditionProvisionFailed, metav1.ConditionTrue, f.Reason, f.Message)
		s.Validate()
		s.unprovisioned(metav1.ConditionUnknown, f)
	case finding.KindRefused:
		s.set(v1alpha2.ConditionProvisionFailed, metav1.ConditionTrue, f.Reason, f.Message)
		s.Validate()
		s.unprovisioned(metav1.ConditionFalse, f)
	}
}

// unprovisioned leaves a Provisioned that is True as it is: what has been
// provisioned stays so whatever is wrong with it now, short of its loss.
func (s Set) unprovisioned(status metav1.ConditionStatus, f *finding.Error) {
	if !s.Provisioned() {
		s.set(v1alpha2.ConditionProvisioned, status, f.Reason, f.Message)
	}
}
