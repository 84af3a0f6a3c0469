package scheme

import (
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Resource is a resource whose objects are stored.
type Resource struct {
	schema.GroupVersionResource
	Kind       string
	Namespaced bool
}

// Resources returns the built-in resources whose objects are stored, Events excepted:
// nothing owns them, and they own nothing. With a node for Pods, Jobs are among them.
func Resources(pods bool) []Resource {
	core, rbac := corev1.SchemeGroupVersion, rbacv1.SchemeGroupVersion
	all := []Resource{
		{core.WithResource("namespaces"), "Namespace", false},
		{core.WithResource("configmaps"), "ConfigMap", true},
		{core.WithResource("nodes"), "Node", false},
		{core.WithResource("pods"), "Pod", true},
		{core.WithResource("resourcequotas"), "ResourceQuota", true},
		{core.WithResource("secrets"), "Secret", true},
		{core.WithResource("serviceaccounts"), "ServiceAccount", true},
		{coordinationv1.SchemeGroupVersion.WithResource("leases"), "Lease", true},
		{rbac.WithResource("roles"), "Role", true},
		{rbac.WithResource("rolebindings"), "RoleBinding", true},
		{rbac.WithResource("clusterroles"), "ClusterRole", false},
		{rbac.WithResource("clusterrolebindings"), "ClusterRoleBinding", false},
		{apiextensionsv1.SchemeGroupVersion.WithResource("customresourcedefinitions"), "CustomResourceDefinition", false},
	}
	if pods {
		all = append(all, Resource{batchv1.SchemeGroupVersion.WithResource("jobs"), "Job", true})
	}
	return all
}
