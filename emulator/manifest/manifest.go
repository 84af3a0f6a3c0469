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

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
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

// Decode returns the objects of a stream of YAML or JSON documents. Empty
// documents are passed over.
func Decode(data []byte) ([]*unstructured.Unstructured, error) {
	var objects []*unstructured.Unstructured
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(data), len(data))
	for n := 1; ; n++ {
		object := &unstructured.Unstructured{}
		err := decoder.Decode(object)
		switch {
		case errors.Is(err, io.EOF):
			return objects, nil
		case err != nil:
			return nil, fmt.Errorf("document %d: %w", n, err)
		case len(object.Object) > 0:
			objects = append(objects, object)
		}
	}
}

// Apply applies objects in their order.
func Apply(ctx context.Context, c client.Client, objects []*unstructured.Unstructured) error {
	for _, object := range objects {
		apply := client.ApplyConfigurationFromUnstructured(object)
		if err := c.Apply(ctx, apply, client.FieldOwner(FieldOwner), client.ForceOwnership); err != nil {
			return fmt.Errorf("apply %s %s: %w", object.GetKind(), client.ObjectKeyFromObject(object), err)
		}
	}
	return nil
}
