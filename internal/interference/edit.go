package interference

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"maps"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator/fault"
)

func resourcesOf(version objectstorage.Version) map[string]schema.GroupVersionResource {
	cosi := version.GroupVersion()
	return map[string]schema.GroupVersionResource{
		"BucketClaim":       cosi.WithResource("bucketclaims"),
		"BucketAccess":      cosi.WithResource("bucketaccesses"),
		"Bucket":            cosi.WithResource("buckets"),
		"BucketClass":       cosi.WithResource("bucketclasses"),
		"BucketAccessClass": cosi.WithResource("bucketaccessclasses"),
		"Secret":            {Version: "v1", Resource: "secrets"},
		"Namespace":         {Version: "v1", Resource: "namespaces"},
	}
}

// mark is the label, the annotation and the value that edits write.
const mark = "example.com/edited"

// edited is the new value of each key of a Secret. It is a secret, and so no part of what other edits write.
const edited = "edited-secret-value"

type object map[string]any

var withoutFinalizers = object{"metadata": object{"finalizers": nil}}

func (t *target) edit(ctx context.Context) error {
	switch t.by.Interfere {
	case fault.StripFinalizers:
		return t.patch(ctx, withoutFinalizers)
	case fault.StripOwners:
		return t.patch(ctx, object{"metadata": object{"ownerReferences": nil}})
	case fault.FlipPolicy:
		return t.patch(ctx, object{"spec": object{"deletionPolicy": otherPolicy(t.object.Object["spec"])}})
	case fault.EditStatus:
		return t.editStatus(ctx)
	case fault.EditMetadata:
		return t.patch(ctx, object{"metadata": object{"labels": object{mark: "true"}, "annotations": object{mark: "true"}}})
	case fault.StripMetadata:
		return t.patch(ctx, object{"metadata": object{"labels": nil, "annotations": nil}})
	case fault.EditData:
		return t.patch(ctx, object{"data": t.otherData()})
	case fault.MakeImmutable:
		return t.patch(ctx, object{"immutable": true})
	default:
		return errors.New("unknown interference " + string(t.by.Interfere))
	}
}

func (t *target) patch(ctx context.Context, change object, subresource ...string) error {
	data, err := json.Marshal(change)
	if err != nil {
		return err
	}
	_, err = t.in(t.objects).Patch(ctx, t.object.GetName(), types.MergePatchType, data, metav1.PatchOptions{}, subresource...)
	return err
}

func (t *target) otherData() object {
	data, _, _ := unstructured.NestedMap(t.object.Object, "data")
	changed := object{}
	for key := range data {
		changed[key] = base64.StdEncoding.EncodeToString([]byte(edited))
	}
	return changed
}

// asWritten returns an object as its user wrote it, without additions by the API server and
// components.
func asWritten(from *unstructured.Unstructured) *unstructured.Unstructured {
	o := from.DeepCopy()
	delete(o.Object, "status")
	unstructured.RemoveNestedField(o.Object, "spec", "bucketClaimRef", "uid")
	unstructured.RemoveNestedField(o.Object, "spec", "bucketClaim", "uid") // of v1alpha1
	o.Object["metadata"] = map[string]any{"name": from.GetName()}
	o.SetNamespace(from.GetNamespace())
	if labels := withoutCOSI(from.GetLabels()); len(labels) > 0 {
		o.SetLabels(labels)
	}
	if annotations := withoutCOSI(from.GetAnnotations()); len(annotations) > 0 {
		o.SetAnnotations(annotations)
	}
	return o
}

// withoutCOSI returns the labels or annotations that COSI does not write.
func withoutCOSI(entries map[string]string) map[string]string {
	others := maps.Clone(entries)
	maps.DeleteFunc(others, func(name, _ string) bool { return strings.Contains(name, v1alpha2.GroupName+"/") })
	return others
}

var errGone = errors.New("the watch has ended")

// awaitDeletion returns when an object does not exist any more.
func (t *target) awaitDeletion(ctx context.Context, found *unstructured.Unstructured) error {
	events, err := t.in(t.look).Watch(ctx, metav1.ListOptions{
		FieldSelector:   fields.OneTermEqualSelector(metav1.ObjectNameField, found.GetName()).String(),
		ResourceVersion: found.GetResourceVersion(),
	})
	if err != nil {
		return err
	}
	defer events.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case event, ok := <-events.ResultChan():
			if !ok || event.Type == watch.Error {
				return errGone
			}
			if event.Type == watch.Deleted {
				return nil
			}
		}
	}
}
