// Package rights reads the rights of a component from a manifest: its ServiceAccount, and the roles and
// bindings for it.
package rights

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/cosi-emu/cosi-emu/internal/manifest"
)

// Rights are the objects that give a component its rights.
type Rights struct {
	Account types.NamespacedName
	Objects []*unstructured.Unstructured
}

// Of reads the ServiceAccount, the roles and the bindings of a manifest.
func Of(data []byte) (Rights, error) {
	all, err := manifest.Decode(data)
	if err != nil {
		return Rights{}, err
	}
	var found Rights
	accounts := 0
	for _, object := range all {
		kind := object.GroupVersionKind().GroupKind()
		if kind == corev1.SchemeGroupVersion.WithKind("ServiceAccount").GroupKind() {
			accounts++
			if object.GetNamespace() == "" {
				object.SetNamespace(metav1.NamespaceDefault)
			}
			found.Account = types.NamespacedName{Namespace: object.GetNamespace(), Name: object.GetName()}
			found.Objects = append(found.Objects, object)
		}
		if kind.Group == rbacv1.GroupName {
			found.Objects = append(found.Objects, object)
		}
	}
	if accounts != 1 {
		return Rights{}, fmt.Errorf("the manifest has %d ServiceAccounts, and must have one", accounts)
	}
	found.Objects = slices.Concat(namespacesOf(found.Objects), found.Objects)
	return found, nil
}

// namespacesOf returns the Namespaces of objects, which must exist first.
func namespacesOf(objects []*unstructured.Unstructured) []*unstructured.Unstructured {
	var all []*unstructured.Unstructured
	known := map[string]bool{"": true, metav1.NamespaceDefault: true}
	for _, object := range objects {
		name := object.GetNamespace()
		if known[name] {
			continue
		}
		known[name] = true
		namespace := &unstructured.Unstructured{}
		namespace.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Namespace"))
		namespace.SetName(name)
		all = append(all, namespace)
	}
	return all
}
