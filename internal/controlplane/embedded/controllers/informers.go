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

	all  []toolscache.SharedIndexInformer
	work sync.WaitGroup
}

func newInformers(core corev1client.CoreV1Interface, rbac rbacv1client.RbacV1Interface) *builtinInformers {
	i := &builtinInformers{}
	i.namespaces = i.watch(core.RESTClient(), "namespaces", &corev1.Namespace{})
	i.accounts = i.watch(core.RESTClient(), "serviceaccounts", &corev1.ServiceAccount{})
	i.quotas = i.watch(core.RESTClient(), "resourcequotas", &corev1.ResourceQuota{})
	i.clusterRoles = i.watch(rbac.RESTClient(), "clusterroles", &rbacv1.ClusterRole{})
	return i
}

// watch returns a new informer, which start runs.
func (i *builtinInformers) watch(client toolscache.Getter, resource string, object runtime.Object) toolscache.SharedIndexInformer {
	source := toolscache.NewListWatchFromClient(client, resource, metav1.NamespaceAll, fields.Everything())
	informer := toolscache.NewSharedIndexInformer(source, object, 0,
		toolscache.Indexers{toolscache.NamespaceIndex: toolscache.MetaNamespaceIndexFunc})
	i.all = append(i.all, informer)
	return informer
}

// start runs the informers until the context ends.
func (i *builtinInformers) start(ctx context.Context) {
	for _, informer := range i.all {
		i.work.Go(func() { informer.RunWithContext(ctx) })
	}
}
