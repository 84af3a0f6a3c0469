package registry

import (
	"context"
	"reflect"

	corev1 "k8s.io/api/core/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func configMaps() *kind[corev1.ConfigMap, *corev1.ConfigMap] {
	return &kind[corev1.ConfigMap, *corev1.ConfigMap]{
		resource: corev1.Resource("configmaps"), singular: "configmap", shortNames: []string{"cm"},
		list:     func() runtime.Object { return &corev1.ConfigMapList{} },
		validate: func(_ context.Context, m *corev1.ConfigMap) field.ErrorList { return validateConfigMap(m) },
		validateUpdate: func(_ context.Context, m, old *corev1.ConfigMap) field.ErrorList {
			return validateConfigMapUpdate(m, old)
		},
		columns: []metav1.TableColumnDefinition{nameColumn(), column("Data", corev1.ConfigMap{}.SwaggerDoc()["data"]), ageColumn()},
		row: func(m *corev1.ConfigMap) []any {
			return []any{m.Name, int64(len(m.Data) + len(m.BinaryData)), age(m)}
		},
	}
}

func validateConfigMap(m *corev1.ConfigMap) field.ErrorList {
	errs := validateMeta(m, true, apivalidation.NameIsDNSSubdomain)
	size := 0
	for key, value := range m.Data {
		errs = append(errs, validateKey(field.NewPath("data"), key)...)
		if _, twice := m.BinaryData[key]; twice {
			errs = append(errs, field.Invalid(field.NewPath("data").Key(key), key, "duplicate of key present in binaryData"))
		}
		size += len(value)
	}
	for key, value := range m.BinaryData {
		errs = append(errs, validateKey(field.NewPath("binaryData"), key)...)
		size += len(value)
	}
	if size > corev1.MaxSecretSize {
		errs = append(errs, field.TooLong(field.NewPath(""), "", corev1.MaxSecretSize))
	}
	return errs
}

func validateKey(path *field.Path, key string) field.ErrorList {
	var errs field.ErrorList
	for _, message := range validation.IsConfigMapKey(key) {
		errs = append(errs, field.Invalid(path.Key(key), key, message))
	}
	return errs
}

func validateConfigMapUpdate(m, old *corev1.ConfigMap) field.ErrorList {
	errs := validateMetaUpdate(m, old)
	if isSet(old.Immutable) {
		errs = append(errs, unchanged("immutable", isSet(m.Immutable))...)
		errs = append(errs, unchanged("data", reflect.DeepEqual(m.Data, old.Data))...)
		errs = append(errs, unchanged("binaryData", reflect.DeepEqual(m.BinaryData, old.BinaryData))...)
	}
	return append(errs, validateConfigMap(m)...)
}
