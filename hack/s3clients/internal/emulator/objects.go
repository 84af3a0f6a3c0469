package emulator

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

const (
	namespace  = "default"
	apiVersion = "objectstorage.k8s.io/v1alpha2"
)

var (
	classes       = resource("bucketclasses")
	accessClasses = resource("bucketaccessclasses")
	claims        = resource("bucketclaims")
	accesses      = resource("bucketaccesses")
	secrets       = schema.GroupVersionResource{Version: "v1", Resource: "secrets"}
)

func resource(name string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "objectstorage.k8s.io", Version: "v1alpha2", Resource: name}
}

func object(kind, name string, spec map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": apiVersion, "kind": kind, "metadata": map[string]any{"name": name}, "spec": spec,
	}}
}

// Class creates a BucketClass with parameters, and a BucketAccessClass, both
// called name.
func (e *Emulator) Class(ctx context.Context, name string, parameters map[string]string) error {
	values := map[string]any{"nonEmptyDeletion": "purge"}
	for key, value := range parameters {
		values[key] = value
	}
	class := object("BucketClass", name, map[string]any{
		"driverName": e.driver, "deletionPolicy": "Delete", "parameters": values,
	})
	access := object("BucketAccessClass", name, map[string]any{"driverName": e.driver, "authenticationType": "Key"})
	if _, err := e.api.Resource(classes).Create(ctx, class, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("create BucketClass %s: %w", name, err)
	}
	if _, err := e.api.Resource(accessClasses).Create(ctx, access, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("create BucketAccessClass %s: %w", name, err)
	}
	return nil
}

func (e *Emulator) createClaim(ctx context.Context, class, name string) error {
	claim := object("BucketClaim", name, map[string]any{
		"bucketClassName": class, "protocols": []any{"S3"},
	})
	return e.createNamespaced(ctx, claims, claim)
}

// createAccess asks for everything that can be asked for.
func (e *Emulator) createAccess(ctx context.Context, class, name string) error {
	all := map[string]any{"objectData": "ReadWrite", "objectMetadata": "ReadWrite", "bucketMetadata": "ReadWrite"}
	access := object("BucketAccess", name, map[string]any{
		"bucketAccessClassName": class, "protocol": "S3",
		"bucketClaims": []any{map[string]any{
			"bucketClaimName": name, "accessModes": all, "accessSecretName": name,
		}},
	})
	return e.createNamespaced(ctx, accesses, access)
}

func (e *Emulator) createNamespaced(ctx context.Context, kind schema.GroupVersionResource, o *unstructured.Unstructured) error {
	_, err := e.api.Resource(kind).Namespace(namespace).Create(ctx, o, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("create %s %s: %w", o.GetKind(), o.GetName(), err)
	}
	return nil
}
