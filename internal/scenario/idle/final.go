package idle

import (
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// MayStay reports whether the state of an object may be final. A namespace in deletion is not: its
// controller looks again after up to 15 seconds. Otherwise only foreign finalizers must hold the
// object, or COSI has failed terminally, or COSI reports no failure. It returns how long the object
// must be unchanged. An object of v1alpha1 does not show whether its component will retry.
func MayStay(object *unstructured.Unstructured) (silence time.Duration, final bool) {
	if object.GetKind() == "Namespace" && object.GetDeletionTimestamp() != nil {
		return 0, false
	}
	if slices.ContainsFunc(object.GetFinalizers(), isFinalizerOfV1alpha1) {
		return 0, false
	}
	if !controllerutil.ContainsFinalizer(object, v1alpha2.ProtectionFinalizer) {
		return LongQuiet, true
	}
	var status struct {
		Status struct {
			Conditions []metav1.Condition `json:"conditions"`
		} `json:"status"`
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &status); err != nil {
		return 0, false
	}
	return ProtectedQuiet, !willRetry(status.Status.Conditions)
}

func isFinalizerOfV1alpha1(name string) bool {
	return strings.HasPrefix(name, v1alpha1.FinalizerPrefix)
}

// willRetry reports whether the conditions announce a retry, which may come after a
// long delay.
func willRetry(conditions []metav1.Condition) bool {
	failed := meta.FindStatusCondition(conditions, v1alpha2.ConditionProvisionFailed)
	if failed != nil && failed.Status == metav1.ConditionTrue &&
		failed.Reason != v1alpha2.ReasonDriverRefused && failed.Reason != v1alpha2.ReasonInvalidDriverResponse {
		return true
	}
	validated := meta.FindStatusCondition(conditions, v1alpha2.ConditionResourcesValidated)
	return validated != nil && validated.Status == metav1.ConditionFalse && validated.Reason == v1alpha2.ReasonSecretWriteFailed
}
