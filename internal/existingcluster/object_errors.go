package existingcluster

import (
	"context"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/crds"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
)

// ObjectError is the status.error of an object, which the definitions of some drafts have in place of
// conditions.
type ObjectError struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	Time      string `json:"time,omitempty"`
	Message   string `json:"message"`
}

// ObjectErrors returns the errors of the objects of COSI in a version, if their definitions have
// status.error and the user may read them.
func (c *Cluster) ObjectErrors(ctx context.Context, version objectstorage.Version) ([]ObjectError, error) {
	own, err := crds.For(version)
	if err != nil {
		return nil, err
	}
	var all []ObjectError
	for _, definition := range own {
		if !crds.HasField(definition, version, "status") {
			continue // a class
		}
		there := &apiextensionsv1.CustomResourceDefinition{}
		err := c.client.Get(ctx, client.ObjectKeyFromObject(definition), there)
		switch {
		case apierrors.IsForbidden(err), apierrors.IsNotFound(err):
			continue
		case err != nil:
			return nil, fmt.Errorf("look at CustomResourceDefinition %s: %w", definition.Name, err)
		case !crds.HasField(there, version, "status", "error"):
			continue
		}
		found, err := c.errorsOf(ctx, version, definition.Spec.Names.Kind)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

func (c *Cluster) errorsOf(ctx context.Context, version objectstorage.Version, kind string) ([]ObjectError, error) {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(version.GroupVersion().WithKind(kind + "List"))
	if err := c.client.List(ctx, list); err != nil {
		return nil, fmt.Errorf("list %s: %w", kind, err)
	}
	var all []ObjectError
	for _, object := range list.Items {
		text := func(field string) string {
			value, _, _ := unstructured.NestedString(object.Object, "status", "error", field)
			return value
		}
		if text("message") != "" {
			all = append(all, ObjectError{kind, object.GetNamespace(), object.GetName(), text("time"), text("message")})
		}
	}
	return all, nil
}
