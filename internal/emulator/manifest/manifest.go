// Package manifest reads objects from YAML or JSON and applies them to an API
// server, the way `kubectl apply --server-side` does.
package manifest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// FieldOwner is the field manager of what is applied.
const FieldOwner = "cosi-emu"

// Read returns the objects of a file.
func Read(path string) ([]*unstructured.Unstructured, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	objects, err := Decode(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return objects, nil
}

// Decode returns the objects of a stream of YAML or JSON documents: the items of
// those that are lists, nothing for those that are empty.
func Decode(data []byte) ([]*unstructured.Unstructured, error) {
	var objects []*unstructured.Unstructured
	decoder := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(data), len(data))
	for n := 1; ; n++ {
		object := &unstructured.Unstructured{}
		err := decoder.Decode(object)
		switch {
		case errors.Is(err, io.EOF):
			return objects, nil
		case err != nil:
			return nil, fmt.Errorf("document %d: %w", n, err)
		}
		if objects, err = appendItems(objects, object); err != nil {
			return nil, fmt.Errorf("document %d: %w", n, err)
		}
	}
}

// appendItems appends an object, or the items of a list.
func appendItems(objects []*unstructured.Unstructured, object *unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	if len(object.Object) == 0 {
		return objects, nil
	}
	if !object.IsList() {
		return append(objects, object), nil
	}
	list, err := object.ToList()
	if err != nil {
		return nil, err
	}
	for i := range list.Items {
		objects = append(objects, &list.Items[i])
	}
	return objects, nil
}

// Apply applies objects in their order. Those that belong to a namespace and do
// not name it go to "default".
func Apply(ctx context.Context, c client.Client, objects []*unstructured.Unstructured) error {
	for _, object := range objects {
		if err := setNamespace(c, object); err != nil {
			return fmt.Errorf("apply %s %s: %w", object.GetKind(), client.ObjectKeyFromObject(object), err)
		}
		apply := client.ApplyConfigurationFromUnstructured(object)
		if err := c.Apply(ctx, apply, client.FieldOwner(FieldOwner), client.ForceOwnership); err != nil {
			return fmt.Errorf("apply %s %s: %w", object.GetKind(), client.ObjectKeyFromObject(object), err)
		}
	}
	return nil
}

func setNamespace(c client.Client, object *unstructured.Unstructured) error {
	if object.GetNamespace() != "" {
		return nil
	}
	namespaced, err := c.IsObjectNamespaced(object)
	if err != nil {
		return err
	}
	if namespaced {
		object.SetNamespace(metav1.NamespaceDefault)
	}
	return nil
}
