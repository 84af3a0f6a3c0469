package registry

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/registry/rest"
)

// eventTTL is how long an Event is kept.
const eventTTL = time.Hour

func events() *kind[corev1.Event, *corev1.Event] {
	return &kind[corev1.Event, *corev1.Event]{
		resource: corev1.Resource("events"), singular: "event", shortNames: []string{"ev"}, createOnUpdate: true,
		list:           func() runtime.Object { return &corev1.EventList{} },
		validate:       validateEvent,
		validateUpdate: validateEventUpdate,
		selectable:     eventFields,
		columns: []metav1.TableColumnDefinition{
			column("Last Seen", corev1.Event{}.SwaggerDoc()["lastTimestamp"]),
			column("Type", corev1.Event{}.SwaggerDoc()["type"]),
			column("Reason", corev1.Event{}.SwaggerDoc()["reason"]),
			column("Object", corev1.Event{}.SwaggerDoc()["involvedObject"]),
			wideColumn("Subobject", corev1.ObjectReference{}.SwaggerDoc()["fieldPath"]),
			wideColumn("Source", corev1.Event{}.SwaggerDoc()["source"]),
			column("Message", corev1.Event{}.SwaggerDoc()["message"]),
			wideColumn("First Seen", corev1.Event{}.SwaggerDoc()["firstTimestamp"]),
			wideColumn("Count", corev1.Event{}.SwaggerDoc()["count"]),
			{Name: "Name", Type: "string", Format: "name", Description: metav1.ObjectMeta{}.SwaggerDoc()["name"], Priority: 1},
		},
		row: eventRow,
	}
}

func eventFields(e *corev1.Event) fields.Set {
	return fields.Set{
		"involvedObject.kind":            e.InvolvedObject.Kind,
		"involvedObject.namespace":       e.InvolvedObject.Namespace,
		"involvedObject.name":            e.InvolvedObject.Name,
		"involvedObject.uid":             string(e.InvolvedObject.UID),
		"involvedObject.apiVersion":      e.InvolvedObject.APIVersion,
		"involvedObject.resourceVersion": e.InvolvedObject.ResourceVersion,
		"involvedObject.fieldPath":       e.InvolvedObject.FieldPath,
		"reason":                         e.Reason,
		"reportingComponent":             e.ReportingController,
		"source":                         cmp.Or(e.Source.Component, e.ReportingController),
		"type":                           e.Type,
	}
}

func eventRow(e *corev1.Event) []any {
	first, last, count := e.FirstTimestamp.Time, e.LastTimestamp.Time, e.Count
	if first.IsZero() {
		first = e.EventTime.Time
	}
	if last.IsZero() {
		last = first
	}
	if e.Series != nil {
		last, count = e.Series.LastObservedTime.Time, e.Series.Count
	} else if count == 0 {
		count = 1
	}
	target := strings.ToLower(e.InvolvedObject.Kind)
	if e.InvolvedObject.Name != "" {
		target = fmt.Sprintf("%s/%s", target, e.InvolvedObject.Name)
	}
	return []any{
		since(last), e.Type, e.Reason, target, e.InvolvedObject.FieldPath, eventSource(e), strings.TrimSpace(e.Message),
		since(first), int64(count), e.Name,
	}
}

func eventSource(e *corev1.Event) string {
	component, instance := cmp.Or(e.Source.Component, e.ReportingController), cmp.Or(e.Source.Host, e.ReportingInstance)
	if instance == "" {
		return component
	}
	return component + ", " + instance
}

// eventStrategy is the strategy of Events. The garbage collector does not see their deletion.
type eventStrategy struct {
	strategy[corev1.Event, *corev1.Event]
}

var _ rest.GarbageCollectionDeleteStrategy = eventStrategy{}

// DefaultGarbageCollectionPolicy implements rest.GarbageCollectionDeleteStrategy.
func (eventStrategy) DefaultGarbageCollectionPolicy(context.Context) rest.GarbageCollectionPolicy {
	return rest.Unsupported
}

func newEventREST(getter generic.RESTOptionsGetter) (*resourceREST, error) {
	k := events()
	r, err := newREST(k, getter)
	if err != nil {
		return nil, err
	}
	r.DeleteStrategy = eventStrategy{k.strategy()}
	r.TTLFunc = func(runtime.Object, uint64, bool) (uint64, error) { return uint64(eventTTL.Seconds()), nil }
	return r, nil
}
