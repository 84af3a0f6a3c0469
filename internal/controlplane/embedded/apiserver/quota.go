package apiserver

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apiserver/pkg/admission"

	"github.com/cosi-emu/cosi-emu/internal/controlplane/embedded/scheme"
)

// quotaStore has the ResourceQuotas.
type quotaStore interface {
	// Quotas returns the quotas of a namespace, which the caller must not change.
	Quotas(ctx context.Context, namespace string) ([]corev1.ResourceQuota, error)
	// UpdateQuota changes the status of a quota. If change returns an error, it changes
	// nothing.
	UpdateQuota(ctx context.Context, quota *corev1.ResourceQuota, change func(*corev1.ResourceQuota) error) error
}

// quotaCounts rejects objects that exceed a count of a ResourceQuota, and counts the
// others.
type quotaCounts struct {
	quotas quotaStore
}

var _ admission.ValidationInterface = &quotaCounts{}

// Handles implements admission.Interface.
func (*quotaCounts) Handles(operation admission.Operation) bool { return operation == admission.Create }

// Validate implements admission.ValidationInterface.
func (q *quotaCounts) Validate(ctx context.Context, a admission.Attributes, _ admission.ObjectInterfaces) error {
	if a.GetNamespace() == "" || a.GetSubresource() != "" {
		return nil
	}
	quotas, err := q.quotas.Quotas(ctx, a.GetNamespace())
	if err != nil {
		return err
	}
	var limited []corev1.ResourceQuota
	for i := range quotas {
		constraints := constraintsOf(&quotas[i], a)
		if len(constraints) == 0 {
			continue
		}
		// All quotas admit the object before one of them counts it.
		if err := count(quotas[i].DeepCopy(), constraints, a); err != nil {
			return err
		}
		limited = append(limited, quotas[i])
	}
	if a.IsDryRun() {
		return nil
	}
	for i := range limited {
		constraints := constraintsOf(&limited[i], a)
		err := q.quotas.UpdateQuota(ctx, &limited[i], func(quota *corev1.ResourceQuota) error { return count(quota, constraints, a) })
		if err != nil {
			return err
		}
		chargesOf(ctx).add(&limited[i], constraints)
	}
	return nil
}

// constraintsOf returns the constraints of a quota that count the object.
func constraintsOf(quota *corev1.ResourceQuota, a admission.Attributes) []corev1.ResourceName {
	var constraints []corev1.ResourceName
	if !scheme.InScopes(&quota.Spec, a.GetObject()) {
		return nil
	}
	for name := range quota.Status.Hard {
		if of, ok := scheme.CountedBy(name); ok && of == a.GetResource().GroupResource() {
			constraints = append(constraints, name)
		}
	}
	slices.Sort(constraints)
	return constraints
}

// count adds an object to a quota.
func count(quota *corev1.ResourceQuota, constraints []corev1.ResourceName, a admission.Attributes) error {
	one := resource.MustParse("1")
	var exceeded []corev1.ResourceName
	for _, name := range constraints {
		used, known := quota.Status.Used[name]
		if !known {
			return forbid(a, "status unknown for quota: %s, resources: %s", quota.Name, name)
		}
		next := used.DeepCopy()
		next.Add(one)
		if next.Cmp(quota.Status.Hard[name]) > 0 {
			exceeded = append(exceeded, name)
		}
	}
	if len(exceeded) > 0 {
		return forbid(a, "exceeded quota: %s, requested: %s, used: %s, limited: %s", quota.Name,
			list(exceeded, func(corev1.ResourceName) resource.Quantity { return one }),
			list(exceeded, func(name corev1.ResourceName) resource.Quantity { return quota.Status.Used[name] }),
			list(exceeded, func(name corev1.ResourceName) resource.Quantity { return quota.Status.Hard[name] }))
	}
	for _, name := range constraints {
		used := quota.Status.Used[name]
		used.Add(one)
		quota.Status.Used[name] = used
	}
	return nil
}

func forbid(a admission.Attributes, format string, args ...any) error {
	return admission.NewForbidden(a, fmt.Errorf(format, args...))
}

// list returns quantities as a kube-apiserver writes them.
func list(names []corev1.ResourceName, quantity func(corev1.ResourceName) resource.Quantity) string {
	var texts []string
	for _, name := range names {
		q := quantity(name)
		texts = append(texts, fmt.Sprintf("%s=%s", name, q.String()))
	}
	return strings.Join(texts, ",")
}
