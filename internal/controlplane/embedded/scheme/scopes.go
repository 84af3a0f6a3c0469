package scheme

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// InScopes reports whether an object is in all scopes of a ResourceQuota. Only a Pod can be in one.
func InScopes(spec *corev1.ResourceQuotaSpec, object any) bool {
	selected := ScopesOf(spec)
	if len(selected) == 0 {
		return true
	}
	pod, isPod := object.(*corev1.Pod)
	return isPod && !slices.ContainsFunc(selected, func(s corev1.ScopedResourceSelectorRequirement) bool { return !isInScope(s, pod) })
}

// ScopesOf returns both forms of the scopes of a ResourceQuota.
func ScopesOf(spec *corev1.ResourceQuotaSpec) []corev1.ScopedResourceSelectorRequirement {
	var all []corev1.ScopedResourceSelectorRequirement
	for _, name := range spec.Scopes {
		all = append(all, corev1.ScopedResourceSelectorRequirement{ScopeName: name, Operator: corev1.ScopeSelectorOpExists})
	}
	if spec.ScopeSelector != nil {
		all = append(all, spec.ScopeSelector.MatchExpressions...)
	}
	return all
}

func isInScope(scope corev1.ScopedResourceSelectorRequirement, pod *corev1.Pod) bool {
	switch scope.ScopeName {
	case corev1.ResourceQuotaScopeTerminating:
		return pod.Spec.ActiveDeadlineSeconds != nil
	case corev1.ResourceQuotaScopeNotTerminating:
		return pod.Spec.ActiveDeadlineSeconds == nil
	case corev1.ResourceQuotaScopeBestEffort:
		return isBestEffort(pod)
	case corev1.ResourceQuotaScopeNotBestEffort:
		return !isBestEffort(pod)
	case corev1.ResourceQuotaScopePriorityClass:
		return selects(scope, pod.Spec.PriorityClassName)
	case corev1.ResourceQuotaScopeCrossNamespacePodAffinity:
		return crossesNamespaces(pod.Spec.Affinity)
	default:
		return false
	}
}

func selects(scope corev1.ScopedResourceSelectorRequirement, value string) bool {
	switch scope.Operator {
	case corev1.ScopeSelectorOpExists:
		return value != ""
	case corev1.ScopeSelectorOpDoesNotExist:
		return value == ""
	case corev1.ScopeSelectorOpIn:
		return slices.Contains(scope.Values, value)
	default: // NotIn
		return !slices.Contains(scope.Values, value)
	}
}

// isBestEffort reports whether a Pod asks for no processor and no memory.
func isBestEffort(pod *corev1.Pod) bool {
	asks := func(c corev1.Container) bool {
		for _, list := range []corev1.ResourceList{c.Resources.Requests, c.Resources.Limits} {
			if list.Cpu().Sign() > 0 || list.Memory().Sign() > 0 {
				return true
			}
		}
		return false
	}
	return !slices.ContainsFunc(pod.Spec.Containers, asks) && !slices.ContainsFunc(pod.Spec.InitContainers, asks)
}

// crossesNamespaces reports whether a rule of affinity is about Pods of other namespaces.
func crossesNamespaces(affinity *corev1.Affinity) bool {
	if affinity == nil {
		return false
	}
	var terms []corev1.PodAffinityTerm
	add := func(required []corev1.PodAffinityTerm, preferred []corev1.WeightedPodAffinityTerm) {
		terms = append(terms, required...)
		for i := range preferred {
			terms = append(terms, preferred[i].PodAffinityTerm)
		}
	}
	if of := affinity.PodAffinity; of != nil {
		add(of.RequiredDuringSchedulingIgnoredDuringExecution, of.PreferredDuringSchedulingIgnoredDuringExecution)
	}
	if of := affinity.PodAntiAffinity; of != nil {
		add(of.RequiredDuringSchedulingIgnoredDuringExecution, of.PreferredDuringSchedulingIgnoredDuringExecution)
	}
	return slices.ContainsFunc(terms, func(term corev1.PodAffinityTerm) bool {
		return len(term.Namespaces) > 0 || term.NamespaceSelector != (*metav1.LabelSelector)(nil)
	})
}
