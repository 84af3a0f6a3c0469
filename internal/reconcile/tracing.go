package reconcile

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

// Attributes of the span of a reconcile. None has a message: it may contain parameters.
const (
	attributeNamespace = "k8s.namespace.name"
	attributeKind      = "cosi.object.kind"
	attributeName      = "cosi.object.name"
	// attributeOutcome is success, requeue or error.
	attributeOutcome = "cosi.reconcile.outcome"
	// attributeReason is the reason of the obstacle that the object's conditions have.
	attributeReason = "cosi.condition.reason"
)

const tracerName = "github.com/cosi-emu/cosi-emu/internal/reconcile"

// Traced makes each reconcile of a reconciler a span. Without a provider it returns the reconciler itself.
func Traced(provider trace.TracerProvider, kind string, reconciler reconcile.Reconciler) reconcile.Reconciler {
	if provider == nil {
		return reconciler
	}
	return &traced{reconciler: reconciler, tracer: provider.Tracer(tracerName), kind: kind}
}

type traced struct {
	reconciler reconcile.Reconciler
	tracer     trace.Tracer
	kind       string
}

// Reconcile implements reconcile.Reconciler.
func (t *traced) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	ctx, span := t.tracer.Start(ctx, "reconcile "+t.kind, trace.WithAttributes(
		attribute.String(attributeKind, t.kind), attribute.String(attributeName, request.Name)))
	defer span.End()
	if request.Namespace != "" {
		span.SetAttributes(attribute.String(attributeNamespace, request.Namespace))
	}
	result, err := t.reconciler.Reconcile(ctx, request)
	span.SetAttributes(attribute.String(attributeOutcome, outcome(result, err)))
	if err != nil {
		span.SetStatus(codes.Error, describeError(err))
	}
	return result, err
}

func outcome(result reconcile.Result, err error) string {
	switch {
	case err != nil:
		return "error"
	case !result.IsZero():
		return "requeue"
	default:
		return "success"
	}
}

// describeError returns the reason of an error, which the log has as a whole.
func describeError(err error) string {
	if found, isReason := reasons.As(err); isReason {
		return found.Reason
	}
	return string(apierrors.ReasonForError(err))
}

// recordReason records the obstacle of an object in the span of its reconcile. What waits for another object is no error.
func recordReason(ctx context.Context, err error) {
	found, isReason := reasons.As(err)
	if !isReason {
		return
	}
	span := trace.SpanFromContext(ctx)
	if !span.IsRecording() {
		return
	}
	span.SetAttributes(attribute.String(attributeReason, found.Reason))
	if found.IsPermanent() || found.IsRetryable() {
		span.SetStatus(codes.Error, found.Reason)
	}
}
