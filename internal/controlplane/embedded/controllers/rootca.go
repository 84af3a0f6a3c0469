package controllers

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	toolscache "k8s.io/client-go/tools/cache"
)

const (
	rootCAName        = "kube-root-ca.crt"
	rootCAKey         = "ca.crt"
	rootCADescription = "The certificate authority of the API server, for the Pods of the namespace."
	descriptionKey    = "kubernetes.io/description"
)

// rootCA keeps a ConfigMap with the certificate authority of the API server in each namespace.
type rootCA struct {
	client corev1client.CoreV1Interface
	data   map[string]string
	queue  queue // of names of namespaces
}

func newRootCA(shared clients, namespaces toolscache.SharedIndexInformer, m *monitors, certificate []byte) (*rootCA, error) {
	r := &rootCA{client: shared.core, data: map[string]string{rootCAKey: string(certificate)}, queue: newQueue()}
	m.handle(func(ch change) {
		if ch.of.Resource == "configmaps" && ch.of.Group == corev1.GroupName && ch.object.Name == rootCAName {
			r.queue.Add(ch.object.Namespace)
		}
	})
	_, err := namespaces.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) {
			if namespace, ok := obj.(*corev1.Namespace); ok {
				r.queue.Add(namespace.Name)
			}
		},
	})
	return r, err
}

func (r *rootCA) process(ctx context.Context, namespace string) error {
	at, err := r.client.Namespaces().Get(ctx, namespace, metav1.GetOptions{})
	if err != nil || at.Status.Phase != corev1.NamespaceActive {
		return ignoreNotFound(err)
	}
	maps := r.client.ConfigMaps(namespace)
	found, err := maps.Get(ctx, rootCAName, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		_, err = maps.Create(ctx, &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Name: rootCAName, Annotations: map[string]string{descriptionKey: rootCADescription}},
			Data:       r.data,
		}, metav1.CreateOptions{})
		if apierrors.IsAlreadyExists(err) || apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) {
			return nil
		}
		return err
	}
	if err != nil || equality.Semantic.DeepEqual(found.Data, r.data) {
		return err
	}
	found.Data = r.data
	_, err = maps.Update(ctx, found, metav1.UpdateOptions{})
	return ignoreNotFound(err)
}
