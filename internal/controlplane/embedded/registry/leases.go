package registry

import (
	"context"

	coordinationv1 "k8s.io/api/coordination/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"
)

func leases() *kind[coordinationv1.Lease, *coordinationv1.Lease] {
	return &kind[coordinationv1.Lease, *coordinationv1.Lease]{
		resource: coordinationv1.Resource("leases"), singular: "lease", createOnUpdate: true, requireVersion: true,
		list: func() runtime.Object { return &coordinationv1.LeaseList{} },
		// A kube-apiserver drops these fields unless coordinated leader election is enabled.
		prepareCreate: func(l *coordinationv1.Lease) { l.Spec.Strategy, l.Spec.PreferredHolder = nil, nil },
		prepareUpdate: func(l, _ *coordinationv1.Lease) { l.Spec.Strategy, l.Spec.PreferredHolder = nil, nil },
		// Any finalizer is allowed, as in a kube-apiserver.
		validate: func(_ context.Context, l *coordinationv1.Lease) field.ErrorList {
			errs := apivalidation.ValidateObjectMeta(&l.ObjectMeta, true, apivalidation.NameIsDNSSubdomain, field.NewPath("metadata"))
			return append(errs, validateLeaseSpec(&l.Spec)...)
		},
		validateUpdate: func(_ context.Context, l, old *coordinationv1.Lease) field.ErrorList {
			errs := apivalidation.ValidateObjectMetaUpdate(&l.ObjectMeta, &old.ObjectMeta, field.NewPath("metadata"))
			return append(errs, validateLeaseSpec(&l.Spec)...)
		},
		columns: []metav1.TableColumnDefinition{
			nameColumn(), column("Holder", coordinationv1.LeaseSpec{}.SwaggerDoc()["holderIdentity"]), ageColumn(),
		},
		row: func(l *coordinationv1.Lease) []any {
			return []any{l.Name, ptr.Deref(l.Spec.HolderIdentity, ""), age(l)}
		},
	}
}

func validateLeaseSpec(spec *coordinationv1.LeaseSpec) field.ErrorList {
	path := field.NewPath("spec")
	var errs field.ErrorList
	if seconds := spec.LeaseDurationSeconds; seconds != nil && *seconds <= 0 {
		errs = append(errs, field.Invalid(path.Child("leaseDurationSeconds"), *seconds, "must be greater than 0"))
	}
	if transitions := spec.LeaseTransitions; transitions != nil && *transitions < 0 {
		errs = append(errs, field.Invalid(path.Child("leaseTransitions"), *transitions, "must be greater than or equal to 0"))
	}
	return errs
}
