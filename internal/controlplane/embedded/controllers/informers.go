package controllers

import (
	"context"
	"sync"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	rbacv1client "k8s.io/client-go/kubernetes/typed/rbac/v1"
	toolscache "k8s.io/client-go/tools/cache"
)

// builtinInformers are the informers of the built-in kinds, which the controllers share.
type builtinInformers struct {
	namespaces, accounts, quotas, clusterRoles toolscache.SharedIndexInformer

	work sync.WaitGroup
}

func newInformers(core corev1client.CoreV1Interface, rbac rbacv1client.RbacV1Interface) *builtinInformers {
	informer := func(client toolscache.Getter, resource string, object runtime.Object) toolscache.SharedIndexInformer {
		source := toolscache.NewListWatchFromClient(client, resource, metav1.NamespaceAll, fields.Everything())
		return toolscache.NewSharedIndexInformer(source, object, 0,
			toolscache.Indexers{toolscache.NamespaceIndex: toolscache.MetaNamespaceIndexFunc})
	}
	return &builtinInformers{
		namespaces:   informer(core.RESTClient(), "namespaces", &corev1.Namespace{}),
		accounts:     informer(core.RESTClient(), "serviceaccounts", &corev1.ServiceAccount{}),
		quotas:       informer(core.RESTClient(), "resourcequotas", &corev1.ResourceQuota{}),
		clusterRoles: informer(rbac.RESTClient(), "clusterroles", &rbacv1.ClusterRole{}),
	}
}

// start runs the informers until the context ends.
func (i *builtinInformers) start(ctx context.Context) {
	for _, informer := range []toolscache.SharedIndexInformer{i.namespaces, i.accounts, i.quotas, i.clusterRoles} {
		i.work.Go(func() { informer.RunWithContext(ctx) })
	}
}
