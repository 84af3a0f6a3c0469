package registry

import (
	"context"
	"fmt"
	"reflect"
	"time"

	corev1 "k8s.io/api/core/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/endpoints/request"
)

// Limits of the fields of an Event.
const (
	maxEventField   = 128
	maxEventMessage = 1024
)

// isCore reports whether a request has an Event of the core group, whose validation is
// weaker.
func isCore(ctx context.Context) bool {
	info, ok := request.RequestInfoFrom(ctx)
	return ok && info.APIGroup == ""
}

func validateEvent(ctx context.Context, e *corev1.Event) field.ErrorList {
	errs := validateAnyEvent(e, isCore(ctx))
	if isCore(ctx) {
		return errs
	}
	errs = append(errs, validateMeta(e, true, apivalidation.NameIsDNSSubdomain)...)
	errs = append(errs, validateSeries(e)...)
	if e.EventTime.IsZero() {
		errs = append(errs, field.Required(field.NewPath("eventTime"), ""))
	}
	if e.Type != corev1.EventTypeNormal && e.Type != corev1.EventTypeWarning {
		errs = append(errs, field.Invalid(field.NewPath("type"), "", fmt.Sprintf("has invalid value: %v", e.Type)))
	}
	for _, deprecated := range []struct {
		name string
		set  bool
	}{
		{"firstTimestamp", !e.FirstTimestamp.IsZero()},
		{"lastTimestamp", !e.LastTimestamp.IsZero()},
		{"count", e.Count != 0},
		{"source", e.Source.Component != "" || e.Source.Host != ""},
	} {
		if deprecated.set {
			errs = append(errs, field.Invalid(field.NewPath(deprecated.name), "", "needs to be unset"))
		}
	}
	return errs
}

func validateEventUpdate(ctx context.Context, e, old *corev1.Event) field.ErrorList {
	errs := validateAnyEvent(e, isCore(ctx))
	if isCore(ctx) {
		return errs
	}
	errs = append(errs, validateMetaUpdate(e, old)...)
	if !reflect.DeepEqual(e.Series, old.Series) {
		errs = append(errs, validateSeries(e)...)
	}
	for _, f := range []struct {
		name     string
		now, was any
	}{
		{"involvedObject", e.InvolvedObject, old.InvolvedObject},
		{"reason", e.Reason, old.Reason},
		{"message", e.Message, old.Message},
		{"source", e.Source, old.Source},
		{"firstTimestamp", e.FirstTimestamp, old.FirstTimestamp},
		{"lastTimestamp", e.LastTimestamp, old.LastTimestamp},
		{"count", e.Count, old.Count},
		{"reason", e.Reason, old.Reason},
		{"type", e.Type, old.Type},
		{"eventTime", micro(e.EventTime), micro(old.EventTime)},
		{"action", e.Action, old.Action},
		{"related", e.Related, old.Related},
		{"reportingController", e.ReportingController, old.ReportingController},
		{"reportingInstance", e.ReportingInstance, old.ReportingInstance},
	} {
		errs = append(errs, apivalidation.ValidateImmutableField(f.now, f.was, field.NewPath(f.name))...)
	}
	return errs
}

// micro drops what some clients' encodings drop.
func micro(t metav1.MicroTime) metav1.MicroTime {
	return metav1.NewMicroTime(t.Truncate(time.Microsecond).UTC())
}

func validateSeries(e *corev1.Event) field.ErrorList {
	if e.Series == nil {
		return nil
	}
	var errs field.ErrorList
	if e.Series.Count < 2 {
		errs = append(errs, field.Invalid(field.NewPath("series.count"), "", "should be at least 2"))
	}
	if e.Series.LastObservedTime.IsZero() {
		errs = append(errs, field.Required(field.NewPath("series.lastObservedTime"), ""))
	}
	return errs
}

// validateAnyEvent checks what holds for the Events of both groups.
func validateAnyEvent(e *corev1.Event, core bool) field.ErrorList {
	errs := validateEventNamespace(e)
	if !e.EventTime.IsZero() {
		errs = append(errs, validateNewEvent(e, core)...)
	}
	for _, message := range validation.IsDNS1123Subdomain(e.Namespace) {
		errs = append(errs, field.Invalid(field.NewPath("namespace"), e.Namespace, message))
	}
	return errs
}

// validateEventNamespace checks that an Event is in the namespace of its object.
func validateEventNamespace(e *corev1.Event) field.ErrorList {
	of, in := e.InvolvedObject.Namespace, e.Namespace
	matches := of == in
	switch {
	case of == "" && e.EventTime.IsZero():
		matches = in == metav1.NamespaceNone || in == metav1.NamespaceDefault
	case of == "":
		matches = in == metav1.NamespaceDefault || in == metav1.NamespaceSystem
	case !e.EventTime.IsZero():
		matches = true
	}
	if matches {
		return nil
	}
	return field.ErrorList{field.Invalid(field.NewPath("involvedObject", "namespace"), of, "does not match event.namespace")}
}

// validateNewEvent checks the fields that an Event with a time must have.
func validateNewEvent(e *corev1.Event, core bool) field.ErrorList {
	controller := field.NewPath("reportingController")
	if core {
		controller = field.NewPath("reportingComponent")
	}
	var errs field.ErrorList
	if e.ReportingController == "" {
		errs = append(errs, field.Required(controller, ""))
	}
	for _, message := range validation.IsQualifiedName(e.ReportingController) {
		errs = append(errs, field.Invalid(controller, e.ReportingController, message))
	}
	for _, text := range []struct {
		name, value string
		limit       int
		optional    bool
	}{
		{"reportingInstance", e.ReportingInstance, maxEventField, false},
		{"action", e.Action, maxEventField, false},
		{"reason", e.Reason, maxEventField, false},
		{"message", e.Message, maxEventMessage, true},
	} {
		if text.value == "" && !text.optional {
			errs = append(errs, field.Required(field.NewPath(text.name), ""))
		}
		if len(text.value) > text.limit {
			errs = append(errs, field.Invalid(field.NewPath(text.name), "", fmt.Sprintf("can have at most %v characters", text.limit)))
		}
	}
	return errs
}
