package registry

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// validateMeta rejects invalid metadata.
func validateMeta(obj metav1.Object, namespaced bool, name apivalidation.ValidateNameFunc) field.ErrorList {
	path := field.NewPath("metadata")
	return append(apivalidation.ValidateObjectMetaAccessor(obj, namespaced, name, path), validateMetaFinalizers(obj, path)...)
}

// validateMetaUpdate rejects changes of metadata that cannot change.
func validateMetaUpdate(obj, old metav1.Object) field.ErrorList {
	path := field.NewPath("metadata")
	return append(apivalidation.ValidateObjectMetaAccessorUpdate(obj, old, path), validateMetaFinalizers(obj, path)...)
}

func validateMetaFinalizers(obj metav1.Object, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, finalizer := range obj.GetFinalizers() {
		errs = append(errs, validateFinalizer(finalizer, path.Child("finalizers").Index(i))...)
	}
	return errs
}

// validateFinalizer rejects a finalizer without a domain, unless it is one of Kubernetes.
func validateFinalizer(finalizer string, path *field.Path) field.ErrorList {
	standard := []string{string(corev1.FinalizerKubernetes), metav1.FinalizerOrphanDependents, metav1.FinalizerDeleteDependents}
	if strings.Contains(finalizer, "/") || slices.Contains(standard, finalizer) {
		return nil
	}
	return field.ErrorList{field.Invalid(path, finalizer, "name is neither a standard finalizer name nor is it fully qualified")}
}
