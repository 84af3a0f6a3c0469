package controllers

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	toolscache "k8s.io/client-go/tools/cache"
)

// defaultAccount is the name of the ServiceAccount that each namespace has.
const defaultAccount = "default"

// accounts creates the default ServiceAccount of each namespace.
type accounts struct {
	client corev1client.CoreV1Interface
	queue  queue // of names of namespaces
}

func newAccounts(shared clients, namespaces, serviceAccounts toolscache.SharedIndexInformer) (*accounts, error) {
	a := &accounts{client: shared.core, queue: newQueue()}
	_, namespacesErr := namespaces.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) {
			if namespace, ok := obj.(*corev1.Namespace); ok {
				a.queue.Add(namespace.Name)
			}
		},
	})
	_, accountsErr := serviceAccounts.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj any) {
			if tombstone, ok := obj.(toolscache.DeletedFinalStateUnknown); ok {
				obj = tombstone.Obj
			}
			if account, ok := obj.(*corev1.ServiceAccount); ok && account.Name == defaultAccount {
				a.queue.Add(account.Namespace)
			}
		},
	})
	return a, errors.Join(namespacesErr, accountsErr)
}

func (a *accounts) process(ctx context.Context, namespace string) error {
	at, err := a.client.Namespaces().Get(ctx, namespace, metav1.GetOptions{})
	if err != nil || at.Status.Phase != corev1.NamespaceActive {
		return ignoreNotFound(err)
	}
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: defaultAccount}}
	_, err = a.client.ServiceAccounts(namespace).Create(ctx, account, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) || apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) {
		return nil
	}
	return ignoreNotFound(err)
}
