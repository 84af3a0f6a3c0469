package registry

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func serviceAccounts() *kind[corev1.ServiceAccount, *corev1.ServiceAccount] {
	return &kind[corev1.ServiceAccount, *corev1.ServiceAccount]{
		resource: corev1.Resource("serviceaccounts"), singular: "serviceaccount", returnDeleted: true, shortNames: []string{"sa"},
		list:          func() runtime.Object { return &corev1.ServiceAccountList{} },
		prepareCreate: cleanReferences,
		prepareUpdate: func(a, _ *corev1.ServiceAccount) { cleanReferences(a) },
		validate:      func(_ context.Context, a *corev1.ServiceAccount) field.ErrorList { return validateAccount(a) },
		validateUpdate: func(_ context.Context, a, old *corev1.ServiceAccount) field.ErrorList {
			return append(validateMetaUpdate(a, old), validateAccount(a)...)
		},
		columns: []metav1.TableColumnDefinition{nameColumn(), ageColumn()},
		row:     func(a *corev1.ServiceAccount) []any { return []any{a.Name, age(a)} },
	}
}

// cleanReferences keeps only the names of Secrets.
func cleanReferences(a *corev1.ServiceAccount) {
	for i, secret := range a.Secrets {
		a.Secrets[i] = corev1.ObjectReference{Name: secret.Name}
	}
}

func validateAccount(a *corev1.ServiceAccount) field.ErrorList {
	return validateMeta(a, true, apivalidation.ValidateServiceAccountName)
}
