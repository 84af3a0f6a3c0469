package registry

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/storage/names"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// strategy is a kind as the generic registry calls it.
type strategy[T any, P object[T]] struct {
	runtime.ObjectTyper
	names.NameGenerator
	kind *kind[T, P]
}

var (
	_ rest.RESTCreateStrategy  = strategy[corev1.Secret, *corev1.Secret]{}
	_ rest.RESTUpdateStrategy  = strategy[corev1.Secret, *corev1.Secret]{}
	_ rest.RESTDeleteStrategy  = strategy[corev1.Secret, *corev1.Secret]{}
	_ rest.ResetFieldsStrategy = strategy[corev1.Secret, *corev1.Secret]{}
)

// NamespaceScoped implements rest.RESTCreateStrategy.
func (s strategy[T, P]) NamespaceScoped() bool { return !s.kind.cluster }

// PrepareForCreate implements rest.RESTCreateStrategy.
func (s strategy[T, P]) PrepareForCreate(_ context.Context, obj runtime.Object) {
	if s.kind.prepareCreate != nil {
		s.kind.prepareCreate(cast[T, P](obj))
	}
}

// Validate implements rest.RESTCreateStrategy.
func (s strategy[T, P]) Validate(ctx context.Context, obj runtime.Object) field.ErrorList {
	if s.kind.validate == nil {
		return nil
	}
	return s.kind.validate(ctx, cast[T, P](obj))
}

// WarningsOnCreate implements rest.RESTCreateStrategy.
func (s strategy[T, P]) WarningsOnCreate(_ context.Context, obj runtime.Object) []string {
	if s.kind.warn == nil {
		return nil
	}
	return s.kind.warn(cast[T, P](obj))
}

// Canonicalize implements rest.RESTCreateStrategy.
func (s strategy[T, P]) Canonicalize(obj runtime.Object) {
	if s.kind.canonicalize != nil {
		s.kind.canonicalize(cast[T, P](obj))
	}
}

// AllowCreateOnUpdate implements rest.RESTUpdateStrategy.
func (s strategy[T, P]) AllowCreateOnUpdate(context.Context) bool { return s.kind.createOnUpdate }

// AllowUnconditionalUpdate implements rest.RESTUpdateStrategy.
func (s strategy[T, P]) AllowUnconditionalUpdate(context.Context) bool { return !s.kind.requireVersion }

// PrepareForUpdate implements rest.RESTUpdateStrategy.
func (s strategy[T, P]) PrepareForUpdate(_ context.Context, obj, old runtime.Object) {
	if s.kind.prepareUpdate != nil {
		s.kind.prepareUpdate(cast[T, P](obj), cast[T, P](old))
	}
}

// ValidateUpdate implements rest.RESTUpdateStrategy.
func (s strategy[T, P]) ValidateUpdate(ctx context.Context, obj, old runtime.Object) field.ErrorList {
	if s.kind.validateUpdate == nil {
		return nil
	}
	return s.kind.validateUpdate(ctx, cast[T, P](obj), cast[T, P](old))
}

// WarningsOnUpdate implements rest.RESTUpdateStrategy.
func (s strategy[T, P]) WarningsOnUpdate(ctx context.Context, obj, _ runtime.Object) []string {
	return s.WarningsOnCreate(ctx, obj)
}

// GetResetFields implements rest.ResetFieldsStrategy.
func (s strategy[T, P]) GetResetFields() map[fieldpath.APIVersion]*fieldpath.Set {
	version := schema.GroupVersion{Group: s.kind.resource.Group, Version: "v1"} // of all kinds with such fields
	return map[fieldpath.APIVersion]*fieldpath.Set{fieldpath.APIVersion(version.String()): s.kind.reset}
}

// cast returns an object as its type. The registry has no others.
func cast[T any, P object[T]](obj runtime.Object) P {
	return obj.(P) //nolint:forcetypeassert // a registry has objects of one type
}

func resetFields(names ...string) *fieldpath.Set {
	set := fieldpath.NewSet()
	for _, name := range names {
		set.Insert(fieldpath.MakePathOrDie(name))
	}
	return set
}
