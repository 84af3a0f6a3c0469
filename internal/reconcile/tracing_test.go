package reconcile

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

func TestTraced(t *testing.T) {
	const message = "bucket photos: quota 5"
	conflict := apierrors.NewConflict(schema.GroupResource{Resource: "buckets"}, "b", errors.New(message))
	tests := map[string]struct {
		reason     string
		err        error
		outcome    string
		obstacle   string
		wantStatus sdktrace.Status
	}{
		"Success":   {reason: "nothing is to be done", outcome: "success"},
		"Waiting":   {reason: "it is no error to wait", err: reasons.Waiting("Waits", message), outcome: "success", obstacle: "Waits"},
		"Postponed": {reason: "the component repeats it", err: ErrPostponed, outcome: "success"},
		"Failed": {
			reason: "the driver failed", err: reasons.Failed("DriverFailed", message), outcome: "requeue", obstacle: "DriverFailed",
			wantStatus: sdktrace.Status{Code: codes.Error, Description: "DriverFailed"},
		},
		"Invalid": {
			reason: "only a change helps", err: reconcile.TerminalError(reasons.Invalid("InvalidSpec", message)), outcome: "error",
			obstacle: "InvalidSpec", wantStatus: sdktrace.Status{Code: codes.Error, Description: "InvalidSpec"},
		},
		"Conflict": {reason: "another write was faster", err: conflict, outcome: "requeue"},
		"Broken": {
			reason: "the log has the message", err: errors.New(message), outcome: "error", wantStatus: sdktrace.Status{Code: codes.Error},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			recorder := tracetest.NewSpanRecorder()
			provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder))
			r := Traced(provider, "Bucket", reconcile.Func(func(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
				recordReason(ctx, tc.err)
				return ResultOf(ctx, tc.err)
			}))
			_, _ = r.Reconcile(t.Context(), reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "ns", Name: "b"}})
			ended := recorder.Ended()
			if len(ended) != 1 || ended[0].Name() != "reconcile Bucket" {
				t.Fatalf("the spans are %v", ended)
			}
			got := map[string]string{}
			for _, attribute := range ended[0].Attributes() {
				got[string(attribute.Key)] = attribute.Value.AsString()
			}
			want := map[string]string{
				"k8s.namespace.name": "ns", "cosi.object.kind": "Bucket", "cosi.object.name": "b", "cosi.reconcile.outcome": tc.outcome,
			}
			if tc.obstacle != "" {
				want["cosi.condition.reason"] = tc.obstacle
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: attributes: -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.wantStatus, ended[0].Status()); diff != "" {
				t.Errorf("%s: status: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestUntraced: without a provider, a reconcile is not wrapped.
func TestUntraced(t *testing.T) {
	own := &countedReconciler{}
	if Traced(nil, "Bucket", own) != reconcile.Reconciler(own) {
		t.Error("a reconciler without tracing is wrapped")
	}
}

type countedReconciler struct{ reconcile.Reconciler }
