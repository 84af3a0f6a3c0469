package condition

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

// Record sets the conditions for an error.
func (s Set) Record(f *reasons.Error) {
	switch f.Kind {
	case reasons.KindWaiting:
		s.validated(metav1.ConditionUnknown, f)
		s.unprovisioned(metav1.ConditionUnknown, f)
	case reasons.KindBlocked:
		s.validated(s.Get(v1alpha2.ConditionResourcesValidated).Status, f)
	case reasons.KindInvalid:
		s.validated(metav1.ConditionFalse, f)
		s.unprovisioned(metav1.ConditionFalse, f)
	case reasons.KindLost:
		s.validated(metav1.ConditionFalse, f)
		s.Set(v1alpha2.ConditionProvisioned, metav1.ConditionFalse, f.Reason, f.Message)
	case reasons.KindUnwritable:
		s.validated(metav1.ConditionFalse, f)
		s.unprovisioned(metav1.ConditionUnknown, f)
	case reasons.KindFailed:
		s.failed(f)
		s.unprovisioned(metav1.ConditionUnknown, f)
	case reasons.KindRejected:
		s.failed(f)
		s.unprovisioned(metav1.ConditionFalse, f)
	}
}

// ClaimMissing reports whether, in the conditions, a BucketClaim of a granted access does not exist
// any more. The controller sets this, because the sidecar does not see claims, and only the
// controller resets it.
func ClaimMissing(conditions []metav1.Condition) bool {
	validated := meta.FindStatusCondition(conditions, v1alpha2.ConditionResourcesValidated)
	return validated != nil && validated.Status == metav1.ConditionFalse && validated.Reason == v1alpha2.ReasonBucketClaimNotFound
}

// MarkValidated records that the object, and the objects that it refers to, are valid, unless
// ClaimMissing is set.
func (s Set) MarkValidated() {
	if ClaimMissing(*s.conditions) {
		return
	}
	s.Set(v1alpha2.ConditionResourcesValidated, metav1.ConditionTrue, v1alpha2.ReasonValidated, "all required objects exist and are valid")
}

// validated changes nothing if ClaimMissing is set: the controller would set it again, and so on without end.
func (s Set) validated(status metav1.ConditionStatus, f *reasons.Error) {
	if ClaimMissing(*s.conditions) {
		return
	}
	s.Set(v1alpha2.ConditionResourcesValidated, status, f.Reason, f.Message)
}

// failed records the failure of a call to the driver, which is called for valid objects only.
func (s Set) failed(f *reasons.Error) {
	s.Set(v1alpha2.ConditionProvisionFailed, metav1.ConditionTrue, f.Reason, f.Message)
	s.MarkValidated()
}

// unprovisioned does not change a Provisioned that is True: only a lost bucket sets it to False.
func (s Set) unprovisioned(status metav1.ConditionStatus, f *reasons.Error) {
	if !s.IsProvisioned() {
		s.Set(v1alpha2.ConditionProvisioned, status, f.Reason, f.Message)
	}
}
