package registry

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func quotas() *kind[corev1.ResourceQuota, *corev1.ResourceQuota] {
	return &kind[corev1.ResourceQuota, *corev1.ResourceQuota]{
		resource: corev1.Resource("resourcequotas"), singular: "resourcequota", returnDeleted: true, shortNames: []string{"quota"},
		list:          func() runtime.Object { return &corev1.ResourceQuotaList{} },
		prepareCreate: func(q *corev1.ResourceQuota) { q.Status = corev1.ResourceQuotaStatus{} },
		prepareUpdate: func(q, old *corev1.ResourceQuota) { q.Status = old.Status },
		validate: func(_ context.Context, q *corev1.ResourceQuota) field.ErrorList {
			errs := validateMeta(q, true, apivalidation.NameIsDNSSubdomain)
			return append(errs, validateQuotaSpec(&q.Spec)...)
		},
		validateUpdate: func(_ context.Context, q, old *corev1.ResourceQuota) field.ErrorList {
			errs := append(validateMetaUpdate(q, old), validateQuotaSpec(&q.Spec)...)
			if !sets.New(q.Spec.Scopes...).Equal(sets.New(old.Spec.Scopes...)) {
				errs = append(errs, field.Invalid(field.NewPath("spec", "scopes"), q.Spec.Scopes, apivalidation.FieldImmutableErrorMsg))
			}
			return errs
		},
		reset: resetFields("status"),
		columns: []metav1.TableColumnDefinition{
			nameColumn(),
			column("Request", "Request represents a minimum amount of cpu/memory that a container may consume."),
			column("Limit", "Limits control the maximum amount of cpu/memory that a container may use independent of contention on the node."),
			ageColumn(),
		},
		row: quotaRow,
	}
}

// quotaStatus are the rules of the subresource status.
func quotaStatus() *kind[corev1.ResourceQuota, *corev1.ResourceQuota] {
	k := quotas()
	k.prepareUpdate = func(q, old *corev1.ResourceQuota) { q.Spec = old.Spec }
	k.validateUpdate = func(_ context.Context, q, old *corev1.ResourceQuota) field.ErrorList {
		errs := validateMetaUpdate(q, old)
		if q.ResourceVersion == "" {
			errs = append(errs, field.Required(field.NewPath("resourceVersion"), ""))
		}
		errs = append(errs, validateQuantities(q.Status.Hard, field.NewPath("status", "hard"))...)
		return append(errs, validateQuantities(q.Status.Used, field.NewPath("status", "used"))...)
	}
	k.reset = resetFields("spec")
	return k
}

func quotaRow(q *corev1.ResourceQuota) []any {
	var requests, limits []string
	for _, name := range slices.Sorted(maps.Keys(q.Status.Hard)) {
		used, hard := q.Status.Used[name], q.Status.Hard[name]
		text := fmt.Sprintf("%s: %s/%s", name, used.String(), hard.String())
		if strings.HasPrefix(string(name), "limits.") {
			limits = append(limits, text)
		} else {
			requests = append(requests, text)
		}
	}
	return []any{q.Name, strings.Join(requests, ", "), strings.Join(limits, ", "), age(q)}
}

func validateQuotaSpec(spec *corev1.ResourceQuotaSpec) field.ErrorList {
	errs := validateQuantities(spec.Hard, field.NewPath("spec", "hard"))
	return append(errs, validateQuotaScopes(spec)...)
}

func scopes() []corev1.ResourceQuotaScope {
	return []corev1.ResourceQuotaScope{
		corev1.ResourceQuotaScopeTerminating, corev1.ResourceQuotaScopeNotTerminating, corev1.ResourceQuotaScopeBestEffort,
		corev1.ResourceQuotaScopeNotBestEffort, corev1.ResourceQuotaScopePriorityClass,
		corev1.ResourceQuotaScopeCrossNamespacePodAffinity, corev1.ResourceQuotaScopeVolumeAttributesClass,
	}
}

func validateQuantities(list corev1.ResourceList, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for name, quantity := range list {
		errs = append(errs, validateQuotaName(string(name), path.Key(string(name)))...)
		errs = append(errs, validateQuantity(name, quantity, path.Key(string(name)))...)
	}
	return errs
}

func validateQuotaName(name string, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, message := range validation.IsQualifiedName(name) {
		errs = append(errs, field.Invalid(path, name, message))
	}
	if len(errs) > 0 || strings.Contains(name, "/") || isCount(name) {
		return errs
	}
	isKnown := isCompute(name)
	if !isKnown {
		errs = append(errs, field.Invalid(path, name, "must be a standard resource type or fully qualified"))
	}
	if !isKnown || corev1.ResourceName(name) == corev1.ResourceStorage { // of a volume
		errs = append(errs, field.Invalid(path, name, "must be a standard resource for quota"))
	}
	return errs
}

// isCount reports whether a standard name counts objects.
func isCount(name string) bool {
	return slices.Contains([]corev1.ResourceName{
		corev1.ResourcePods, corev1.ResourceQuotas, corev1.ResourceServices, corev1.ResourceReplicationControllers,
		corev1.ResourceSecrets, corev1.ResourceConfigMaps, corev1.ResourcePersistentVolumeClaims,
		corev1.ResourceServicesNodePorts, corev1.ResourceServicesLoadBalancers,
	}, corev1.ResourceName(name))
}

// isCompute reports whether a standard name belongs to a resource of Pods or volumes.
func isCompute(name string) bool {
	return slices.Contains([]corev1.ResourceName{
		corev1.ResourceCPU, corev1.ResourceRequestsCPU, corev1.ResourceLimitsCPU,
		corev1.ResourceMemory, corev1.ResourceRequestsMemory, corev1.ResourceLimitsMemory,
		corev1.ResourceEphemeralStorage, corev1.ResourceRequestsEphemeralStorage, corev1.ResourceLimitsEphemeralStorage,
		corev1.ResourceStorage, corev1.ResourceRequestsStorage,
	}, corev1.ResourceName(name)) ||
		strings.HasPrefix(strings.TrimPrefix(name, corev1.DefaultResourceRequestsPrefix), corev1.ResourceHugePagesPrefix)
}

func validateQuantity(name corev1.ResourceName, quantity resource.Quantity, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if quantity.Sign() < 0 {
		errs = append(errs, field.Invalid(path, quantity.String(), apivalidation.IsNegativeErrorMsg))
	}
	if isCount(string(name)) && quantity.MilliValue()%1000 != 0 {
		errs = append(errs, field.Invalid(path, quantity, "must be an integer"))
	}
	return errs
}
