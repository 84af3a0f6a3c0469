package retry

import (
	"context"
	"errors"
	"fmt"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

func TestQuietly(t *testing.T) {
	resource := schema.GroupResource{Resource: "things"}
	broken := errors.New("broken")
	cases := []struct {
		name    string
		reason  string
		err     error
		requeue bool
		want    error
	}{
		{"success", "there is nothing to do", nil, false, nil},
		{"conflict", "somebody else was faster", fmt.Errorf("x: %w", apierrors.NewConflict(resource, "a", broken)), true, nil},
		{"not found", "it has just vanished", fmt.Errorf("x: %w", apierrors.NewNotFound(resource, "a")), true, nil},
		{"interrupted", "the next instance goes on", fmt.Errorf("x: %w", context.Canceled), false, nil},
		{"timeout", "somebody should know", context.DeadlineExceeded, false, context.DeadlineExceeded},
		{"terminal", "it must stay terminal", reconcile.TerminalError(broken), false, reconcile.TerminalError(nil)},
		{"other", "somebody should know", broken, false, broken},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			result, err := Quietly(tc.err)
			if result.IsZero() == tc.requeue {
				t.Errorf("%s: result %+v, want a retry: %t", tc.reason, result, tc.requeue)
			}
			if !errors.Is(err, tc.want) || (err == nil) != (tc.want == nil) {
				t.Errorf("%s: error %v, want %v", tc.reason, err, tc.want)
			}
		})
	}
}
