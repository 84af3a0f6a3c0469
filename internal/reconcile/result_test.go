package reconcile

import (
	"context"
	"errors"
	"fmt"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

func TestResultOf(t *testing.T) {
	resource := schema.GroupResource{Resource: "buckets"}
	broken := errors.New("connection refused")
	terminal := reconcile.TerminalError(reasons.Invalid("R", "m"))
	cases := []struct {
		name   string
		reason string
		stop   bool
		err    error
		again  bool
		want   error
	}{
		{name: "success", reason: "there is nothing to do"},
		{name: "conflict", reason: "another write was faster", err: apierrors.NewConflict(resource, "b", broken), again: true},
		{name: "not found", reason: "it has just vanished", err: apierrors.NewNotFound(resource, "b"), again: true},
		{name: "already there", reason: "another write was faster", err: apierrors.NewAlreadyExists(resource, "b"), again: true},
		{name: "wrapped", reason: "it is the same", err: fmt.Errorf("w: %w", apierrors.NewNotFound(resource, "b")), again: true},
		{name: "postponed", reason: "the component repeats it", err: fmt.Errorf("w: %w", ErrPostponed)},
		{name: "waiting", reason: "a watch wakes it", err: reasons.Waiting("R", "m")},
		{name: "blocked", reason: "a watch wakes it", err: reasons.Blocked("R", "m")},
		{name: "invalid", reason: "a change wakes it", err: reasons.Invalid("R", "m")},
		{name: "lost", reason: "nothing helps", err: reasons.Lost("R", "m")},
		{name: "rejected", reason: "a change wakes it", err: reasons.Rejected("R", "m")},
		{name: "failed", reason: "time may help", err: reasons.Failed("R", "m"), again: true},
		{name: "unwritable", reason: "time may help", err: reasons.Unwritable("R", "m"), again: true},
		{name: "wrapped finding", reason: "it is the same", err: fmt.Errorf("w: %w", reasons.Unwritable("R", "m")), again: true},
		{name: "terminal", reason: "it must stay terminal", err: terminal, want: terminal},
		{name: "interrupted", reason: "the next instance goes on", stop: true, err: fmt.Errorf("w: %w", context.Canceled)},
		{name: "broken by the end", reason: "the next instance goes on", stop: true, err: broken},
		{
			name: "request cancelled", reason: "no next instance is coming",
			err: context.Canceled, want: context.Canceled,
		},
		{name: "timeout", reason: "the error must be logged", err: context.DeadlineExceeded, want: context.DeadlineExceeded},
		{name: "other", reason: "the error must be logged", err: broken, want: broken},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if tc.stop {
				cancel()
			}
			result, err := ResultOf(ctx, tc.err)
			if result.IsZero() == tc.again {
				t.Errorf("%s: result %+v, want a retry: %t", tc.reason, result, tc.again)
			}
			if !errors.Is(err, tc.want) || (err == nil) != (tc.want == nil) {
				t.Errorf("%s: error %v, want %v", tc.reason, err, tc.want)
			}
		})
	}
}
