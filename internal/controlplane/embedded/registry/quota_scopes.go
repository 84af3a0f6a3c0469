package registry

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// validateQuotaScopes checks the scopes of a ResourceQuota, in both forms.
func validateQuotaScopes(spec *corev1.ResourceQuotaSpec) field.ErrorList {
	var errs field.ErrorList
	path := field.NewPath("spec", "scopes")
	for _, scope := range spec.Scopes {
		if message := rejectScope(scope, spec); message != "" {
			errs = append(errs, field.Invalid(path, spec.Scopes, message))
		}
	}
	if haveConflict(spec.Scopes) {
		errs = append(errs, field.Invalid(path, spec.Scopes, "conflicting scopes"))
	}
	if spec.ScopeSelector == nil {
		return errs
	}
	path = field.NewPath("spec", "scopeSelector", "matchExpressions")
	var selected []corev1.ResourceQuotaScope
	for _, requirement := range spec.ScopeSelector.MatchExpressions {
		selected = append(selected, requirement.ScopeName)
		if message := rejectScope(requirement.ScopeName, spec); message != "" {
			errs = append(errs, field.Invalid(path.Child("scopeName"), requirement.ScopeName, message))
		}
		errs = append(errs, validateScopeOperator(requirement, path)...)
	}
	if haveConflict(selected) {
		errs = append(errs, field.Invalid(path, selected, "conflicting scopes"))
	}
	return errs
}

// rejectScope returns why a quota cannot have a scope, or "".
func rejectScope(scope corev1.ResourceQuotaScope, spec *corev1.ResourceQuotaSpec) string {
	if !slices.Contains(scopes(), scope) {
		return "unsupported scope"
	}
	for name := range spec.Hard {
		if (isCount(string(name)) || isCompute(string(name))) && !slices.Contains(limitedBy(scope), name) {
			return "unsupported scope applied to resource"
		}
	}
	return ""
}

// limitedBy returns the standard resources that a quota with a scope can limit.
func limitedBy(scope corev1.ResourceQuotaScope) []corev1.ResourceName {
	switch scope {
	case corev1.ResourceQuotaScopeBestEffort:
		return []corev1.ResourceName{corev1.ResourcePods}
	case corev1.ResourceQuotaScopeVolumeAttributesClass:
		return []corev1.ResourceName{corev1.ResourcePersistentVolumeClaims, corev1.ResourceRequestsStorage}
	default:
		return []corev1.ResourceName{
			corev1.ResourcePods, corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceLimitsCPU, corev1.ResourceLimitsMemory,
			corev1.ResourceRequestsCPU, corev1.ResourceRequestsMemory,
		}
	}
}

func haveConflict(all []corev1.ResourceQuotaScope) bool {
	both := func(a, b corev1.ResourceQuotaScope) bool { return slices.Contains(all, a) && slices.Contains(all, b) }
	return both(corev1.ResourceQuotaScopeBestEffort, corev1.ResourceQuotaScopeNotBestEffort) ||
		both(corev1.ResourceQuotaScopeTerminating, corev1.ResourceQuotaScopeNotTerminating)
}

func validateScopeOperator(r corev1.ScopedResourceSelectorRequirement, path *field.Path) field.ErrorList {
	hasValues := slices.Contains([]corev1.ResourceQuotaScope{
		corev1.ResourceQuotaScopePriorityClass, corev1.ResourceQuotaScopeVolumeAttributesClass,
	}, r.ScopeName)
	if !hasValues && slices.Contains(scopes(), r.ScopeName) && r.Operator != corev1.ScopeSelectorOpExists {
		return field.ErrorList{field.Invalid(path.Child("operator"), r.Operator, "must be 'Exists' for this scope")}
	}
	switch r.Operator {
	case corev1.ScopeSelectorOpIn, corev1.ScopeSelectorOpNotIn:
		if len(r.Values) == 0 {
			return field.ErrorList{field.Required(path.Child("values"),
				"must be at least one value when `operator` is 'In' or 'NotIn' for scope selector")}
		}
	case corev1.ScopeSelectorOpExists, corev1.ScopeSelectorOpDoesNotExist:
		if len(r.Values) > 0 {
			return field.ErrorList{field.Invalid(path.Child("values"), r.Values,
				"must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector")}
		}
	default:
		return field.ErrorList{field.Invalid(path.Child("operator"), r.Operator, "not a valid selector operator")}
	}
	return nil
}
