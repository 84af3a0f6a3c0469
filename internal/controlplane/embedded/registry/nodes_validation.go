package registry

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/net"
)

func validateNode(n *corev1.Node) field.ErrorList {
	errs := validateMeta(n, false, apivalidation.NameIsDNSSubdomain)
	errs = append(errs, validateTaints(n.Spec.Taints, field.NewPath("metadata", "taints"))...)
	path := field.NewPath("status")
	errs = append(errs, validateCapacity(n.Status.Capacity, path.Child("capacity"))...)
	errs = append(errs, validateCapacity(n.Status.Allocatable, path.Child("allocatable"))...)
	return append(errs, validateCIDRs(n.Spec.PodCIDRs, field.NewPath("spec", "podCIDRs"))...)
}

// validateTaints has the path of a kube-apiserver, which is below the metadata.
func validateTaints(taints []corev1.Taint, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	seen := sets.New[corev1.Taint]()
	for i, taint := range taints {
		at := path.Index(i)
		for _, message := range validation.IsQualifiedName(taint.Key) {
			errs = append(errs, field.Invalid(at.Child("key"), taint.Key, message))
		}
		if messages := validation.IsValidLabelValue(taint.Value); len(messages) > 0 {
			errs = append(errs, field.Invalid(at.Child("value"), taint.Value, strings.Join(messages, ";")))
		}
		errs = append(errs, validateOneOf(at.Child("effect"), taint.Effect,
			corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute)...)
		identity := corev1.Taint{Key: taint.Key, Effect: taint.Effect}
		if seen.Has(identity) {
			duplicate := field.Duplicate(at, taint)
			duplicate.Detail = "taints must be unique by key and effect pair"
			errs = append(errs, duplicate)
		}
		seen.Insert(identity)
	}
	return errs
}

func validateCapacity(list corev1.ResourceList, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for name, quantity := range list {
		at := path.Child(string(name))
		if quantity.Cmp(resource.Quantity{}) < 0 {
			errs = append(errs, field.Invalid(at, quantity.String(), "must be greater than or equal to 0"))
		}
		if isCounted(name) && quantity.MilliValue()%1000 != 0 {
			errs = append(errs, field.Invalid(at, quantity, "must be an integer"))
		}
	}
	return errs
}

// isCounted reports whether a resource has no fractions: Pods, and resources of other domains.
func isCounted(name corev1.ResourceName) bool {
	domain, _, hasDomain := strings.Cut(string(name), "/")
	return name == corev1.ResourcePods || hasDomain && !strings.HasSuffix(domain, "kubernetes.io")
}

// validateCIDRs accepts one range, or one of each IP family.
func validateCIDRs(list []string, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, cidr := range list {
		errs = append(errs, validation.IsValidCIDRForLegacyField(path.Index(i), cidr, true, nil)...)
	}
	if len(list) < 2 {
		return errs
	}
	isDualStack, err := net.IsDualStackCIDRStrings(list)
	if err != nil {
		errs = append(errs, field.InternalError(path, fmt.Errorf("invalid PodCIDRs. failed to check with dual stack with error:%w", err)))
	}
	if !isDualStack || len(list) > 2 {
		errs = append(errs, field.Invalid(path, list, "may specify no more than one CIDR for each IP family"))
	}
	return errs
}

func validateNodeUpdate(n, old *corev1.Node) field.ErrorList {
	errs := validateMetaUpdate(n, old)
	status, spec := field.NewPath("status"), field.NewPath("spec")
	errs = append(errs, validateCapacity(n.Status.Capacity, status.Child("capacity"))...)
	errs = append(errs, validateCapacity(n.Status.Allocatable, status.Child("allocatable"))...)
	for i, address := range n.Status.Addresses {
		if slices.Contains(n.Status.Addresses[:i], address) {
			errs = append(errs, field.Duplicate(status.Child("addresses").Index(i), address))
		}
	}
	if len(old.Spec.PodCIDRs) > 0 && !slices.Equal(old.Spec.PodCIDRs, n.Spec.PodCIDRs) {
		errs = append(errs, field.Forbidden(spec.Child("podCIDRs"), `node updates may not change podCIDR except from "" to valid`))
	}
	switch before := old.Spec.ProviderID; {
	case before != "" && n.Spec.ProviderID == "":
		errs = append(errs, field.Invalid(spec.Child("providerID"), nil, "field cannot be cleared once set"))
	case before != "" && n.Spec.ProviderID != before:
		errs = append(errs, field.Invalid(spec.Child("providerID"), nil, "field cannot be modified once set"))
	}
	if n.Spec.DoNotUseExternalID != old.Spec.DoNotUseExternalID {
		errs = append(errs, field.Forbidden(spec.Child("externalID"), "may not be updated"))
	}
	return append(errs, validateTaints(n.Spec.Taints, field.NewPath("metadata", "taints"))...)
}
