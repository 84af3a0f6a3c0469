package existingcluster

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// content returns the name of a user's object in a namespace, or "". It checks all kinds of the
// cluster, because the deletion of the namespace would delete all of them.
func (c *Cluster) content(ctx context.Context, namespace string) (string, error) {
	lists, err := c.discovery.ServerPreferredNamespacedResourcesWithContext(ctx)
	if discovery.IsGroupDiscoveryFailedError(err) {
		return "it cannot be told: " + err.Error(), nil
	}
	if err != nil {
		return "", fmt.Errorf("find out what may be in namespace %s: %w", namespace, err)
	}
	deletable := discovery.FilteredBy(discovery.SupportsAllVerbs{Verbs: []string{"list", "delete"}}, lists)
	for _, list := range deletable {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return "", err
		}
		for _, resource := range list.APIResources {
			found, err := c.find(ctx, namespace, version.WithKind(resource.Kind))
			if err != nil || found != "" {
				return found, err
			}
		}
	}
	return "", nil
}

// find returns the name of a user's object of one kind in a namespace, or "".
func (c *Cluster) find(ctx context.Context, namespace string, kind schema.GroupVersionKind) (string, error) {
	if kind.Kind == "Event" { // it remains from deleted objects
		return "", nil
	}
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
	err := c.client.List(ctx, list, client.InNamespace(namespace))
	if apierrors.IsNotFound(err) || apierrors.IsMethodNotSupported(err) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("look for objects of kind %s in namespace %s: %w", kind.Kind, namespace, err)
	}
	i := slices.IndexFunc(list.Items, func(object metav1.PartialObjectMetadata) bool { return !comesByItself(kind.Kind, object) })
	if i < 0 {
		return "", nil
	}
	return kind.Kind + " " + list.Items[i].Name, nil
}

// comesByItself reports whether Kubernetes creates an object in every namespace, or it is being
// deleted.
func comesByItself(kind string, object metav1.PartialObjectMetadata) bool {
	switch {
	case object.DeletionTimestamp != nil:
		return true
	case kind == "ServiceAccount":
		return object.Name == "default"
	case kind == "ConfigMap":
		return object.Name == "kube-root-ca.crt"
	default:
		return false
	}
}
