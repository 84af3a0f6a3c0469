package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/internal/oracle/watch"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

const fieldManager = "cosi-emu-scenario"

func (r *run) kindOf(apiVersion, kind string) (schema.GroupVersionKind, error) {
	if apiVersion != "" {
		version, err := schema.ParseGroupVersion(apiVersion)
		return version.WithKind(kind), err
	}
	found, ok := spec.KindNamed(r.scenario.API(), kind)
	if !ok {
		return found, fmt.Errorf("unknown kind %s: add its apiVersion", kind)
	}
	return found, nil
}

// object returns an empty object with its name, or NAMESPACE/NAME. The default is the scenario's
// namespace, if the kind has namespaces.
func (r *run) object(gvk schema.GroupVersionKind, name string) (*unstructured.Unstructured, error) {
	namespace, name := spec.SplitName(name, r.namespace)
	mapping, err := r.engine.client.RESTMapper().RESTMapping(gvk.GroupKind(), gvk.Version)
	if err != nil {
		return nil, err
	}
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(gvk)
	object.SetName(name)
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		object.SetNamespace(namespace)
	}
	return object, nil
}

// referred returns the object that a reference names, without its contents.
func (r *run) referred(ctx context.Context, ref spec.Reference) (*unstructured.Unstructured, error) {
	name, err := r.variables.Text(ctx, ref.Name)
	if err != nil {
		return nil, err
	}
	gvk, err := r.kindOf("", ref.Kind)
	if err != nil {
		return nil, err
	}
	return r.object(gvk, name)
}

func (r *run) apply(ctx context.Context, s *spec.Step) (any, error) {
	var result any
	for i := range *s.Apply {
		object, err := r.applied(ctx, &(*s.Apply)[i])
		if err != nil {
			return nil, err
		}
		if err := r.created.Add(object); err != nil {
			return nil, err
		}
		body, err := json.Marshal(object)
		if err != nil {
			return nil, err
		}
		began := time.Now()
		config := client.ApplyConfigurationFromUnstructured(object)
		if err := r.engine.client.Apply(ctx, config, client.FieldOwner(fieldManager), client.ForceOwnership); err != nil {
			return nil, rejected(object, err)
		}
		r.noteRequest("patch", object, body, began)
		r.addWord(string(object.GetUID()))
		if object.GetKind() == "Namespace" {
			r.addNamespace(object.GetName())
		}
		result = object.Object
	}
	return result, nil
}

// applied returns an object of the document as it is sent.
func (r *run) applied(ctx context.Context, o *spec.Object) (*unstructured.Unstructured, error) {
	value, err := r.variables.Evaluate(ctx, &o.Value)
	if err != nil {
		return nil, err
	}
	fields, _ := value.(map[string]any)
	object := &unstructured.Unstructured{Object: fields}
	gvk, err := r.kindOf(object.GetAPIVersion(), object.GetKind())
	if err != nil {
		return nil, err
	}
	empty, err := r.object(gvk, object.GetName())
	if err != nil {
		return nil, err
	}
	object.SetGroupVersionKind(gvk)
	if empty.GetNamespace() == "" || !r.hasNamespace(object.GetNamespace()) {
		object.SetNamespace(empty.GetNamespace())
	}
	return object, r.addParameters(object)
}

func (r *run) patch(ctx context.Context, s *spec.Step) (any, error) {
	for i := range *s.Patch {
		change := &(*s.Patch)[i]
		object, err := r.referred(ctx, change.Object)
		if err != nil {
			return nil, err
		}
		value, err := r.variables.Evaluate(ctx, &change.Merge)
		if err != nil {
			return nil, err
		}
		fields, _ := value.(map[string]any)
		_, changesStatus := fields["status"]
		body, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		patch, began := client.RawPatch(types.MergePatchType, body), time.Now()
		if changesStatus {
			err = r.engine.client.Status().Patch(ctx, object, patch)
		} else {
			err = r.engine.client.Patch(ctx, object, patch)
		}
		if err != nil {
			return nil, rejected(object, err)
		}
		r.noteRequest("patch", object, body, began)
	}
	return nil, nil
}

// noteRequest reports the effect of a step to the oracles.
func (r *run) noteRequest(verb string, object *unstructured.Unstructured, body json.RawMessage, began time.Time) {
	watch.NoteUserRequest(r.engine.journal, watch.UserRequest{Verb: verb, Object: object, Body: body, Began: began})
}

func (r *run) remove(ctx context.Context, s *spec.Step) (any, error) {
	for _, ref := range *s.Delete {
		object, err := r.referred(ctx, ref)
		if err != nil {
			return nil, err
		}
		began := time.Now()
		if err := r.engine.client.Delete(ctx, object); err != nil {
			return nil, rejected(object, err)
		}
		r.noteRequest("delete", object, nil, began)
	}
	return nil, nil
}

func subjectOf(object client.Object) string {
	return object.GetObjectKind().GroupVersionKind().Kind + "/" + object.GetName()
}
