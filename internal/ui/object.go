package ui

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/cosi-emu/cosi-emu/emulator"
)

// objectDetail is the page's view of one object.
type objectDetail struct {
	YAML   string        `json:"yaml"`
	Events []objectEvent `json:"events"`
}

type objectEvent struct {
	At      time.Time `json:"at"`
	Type    string    `json:"type"`
	Reason  string    `json:"reason"`
	Message string    `json:"message"`
	Count   int32     `json:"count,omitempty"`
}

// hidden replaces the values of a Secret.
const hidden = "***redacted***"

func (p *Page) object(r *http.Request) (any, error) {
	parts := strings.Split(r.FormValue("id"), "/")
	kind, name := parts[0], parts[len(parts)-1]
	switch kind {
	case kindBackend, kindAccount:
		return p.backendObject(r, kind, strings.Join(parts[1:], "/"))
	case kindDriver:
		text, err := yaml.Marshal(p.opts.Emulator.Info().Components)
		return objectDetail{YAML: "driverName: " + name + "\ncomponents:\n" + string(text)}, err
	}
	gvk := p.opts.Emulator.Info().API.GroupVersion().WithKind(kind)
	if kind == kindSecret {
		gvk = schema.GroupVersionKind{Version: "v1", Kind: kind}
	}
	o := &unstructured.Unstructured{}
	o.SetGroupVersionKind(gvk)
	key := client.ObjectKey{Name: name}
	if len(parts) > 2 {
		key.Namespace = parts[1]
	}
	if err := p.opts.Emulator.Client().Get(r.Context(), key, o); err != nil {
		return nil, fmt.Errorf("%s %s: %w", kind, key, err)
	}
	o.SetManagedFields(nil)
	if kind == kindSecret {
		hideValues(o)
	}
	text, err := yaml.Marshal(o.Object)
	if err != nil {
		return nil, err
	}
	events, err := p.eventsOf(r, o)
	redacted, _ := p.opts.Emulator.Journal().Redact(string(text))
	return objectDetail{YAML: redacted, Events: events}, err
}

// hideValues removes the values of a Secret, including kubectl's annotation with the last applied
// object.
func hideValues(o *unstructured.Unstructured) {
	data, _, _ := unstructured.NestedMap(o.Object, "data")
	for name := range data {
		data[name] = hidden
	}
	o.Object["data"] = data
	unstructured.RemoveNestedField(o.Object, "metadata", "annotations", corev1.LastAppliedConfigAnnotation)
}

func (p *Page) eventsOf(r *http.Request, o *unstructured.Unstructured) ([]objectEvent, error) {
	all := &corev1.EventList{}
	namespace := o.GetNamespace()
	if namespace == "" {
		namespace = corev1.NamespaceDefault // where the Events of objects without a namespace are
	}
	if err := p.opts.Emulator.Client().List(r.Context(), all, client.InNamespace(namespace)); err != nil {
		return nil, err
	}
	found := []objectEvent{}
	for _, e := range all.Items {
		if e.InvolvedObject.UID != o.GetUID() {
			continue
		}
		at := e.LastTimestamp.Time
		switch {
		case e.Series != nil:
			at = e.Series.LastObservedTime.Time
			e.Count = e.Series.Count
		case at.IsZero():
			at = e.EventTime.Time
		}
		found = append(found, objectEvent{At: at, Type: e.Type, Reason: e.Reason, Message: e.Message, Count: e.Count})
	}
	slices.SortFunc(found, func(a, b objectEvent) int { return a.At.Compare(b.At) })
	return found, nil
}

func (p *Page) backendObject(r *http.Request, kind, name string) (any, error) {
	store := p.opts.Emulator.Store()
	if store == nil {
		return objectDetail{YAML: "id: " + name + "\n# The backend of an external driver is not visible."}, nil
	}
	found, err := inStore(r.Context(), store, kind, name)
	if err != nil {
		return nil, err
	}
	text, err := yaml.Marshal(found)
	return objectDetail{YAML: string(text)}, err
}

func inStore(ctx context.Context, store emulator.Store, kind, name string) (any, error) {
	if kind == kindBackend {
		all, err := store.Buckets(ctx)
		for _, b := range all {
			if b.Name == name {
				return b, nil
			}
		}
		return nil, cmp.Or(err, fmt.Errorf("the store has no bucket %q", name))
	}
	all, err := store.Accounts(ctx)
	for _, a := range all {
		if a.ID == name {
			return a, nil
		}
	}
	return nil, cmp.Or(err, fmt.Errorf("the store has no account %q", name))
}
