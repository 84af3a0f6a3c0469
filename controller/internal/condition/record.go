package condition

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/controller/internal/finding"
)

// Record writes a finding down.
func (s Set) Record(f *finding.Error) {
	switch f.Kind {
	case finding.KindWaiting:
		s.Set(v1alpha2.ConditionResourcesValidated, metav1.ConditionUnknown, f.Reason, f.Message)
		s.unprovisioned(metav1.ConditionUnknown, f)
	case finding.KindBlocked:
		was := s.get(v1alpha2.ConditionResourcesValidated).Status
		s.Set(v1alpha2.ConditionResourcesValidated, was, f.Reason, f.Message)
	case finding.KindInvalid:
		s.Set(v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, f.Reason, f.Message)
		s.unprovisioned(metav1.ConditionFalse, f)
	case finding.KindLost:
		s.Set(v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, f.Reason, f.Message)
		s.Set(v1alpha2.ConditionProvisioned, metav1.ConditionFalse, f.Reason, f.Message)
	}
}

// unprovisioned leaves a Provisioned that is True as it is: an object that has
// been provisioned stays so whatever is wrong with it now, short of its loss.
func (s Set) unprovisioned(status metav1.ConditionStatus, f *finding.Error) {
	if !s.Provisioned() {
		s.Set(v1alpha2.ConditionProvisioned, status, f.Reason, f.Message)
	}
}
