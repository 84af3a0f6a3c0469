package retry

import (
	"context"
	"errors"
	"fmt"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/cosi-emu/cosi-emu/sidecar/internal/finding"
)

func TestQuietly(t *testing.T) {
	resource := schema.GroupResource{Resource: "buckets"}
	failure := errors.New("connection refused")
	tests := map[string]struct {
		reason string
		stop   bool
		err    error
		again  bool
		want   error
	}{
		"Success":     {reason: "there is nothing to do"},
		"Conflict":    {reason: "somebody was faster", err: apierrors.NewConflict(resource, "b", failure), again: true},
		"Gone":        {reason: "somebody was faster", err: apierrors.NewNotFound(resource, "b"), again: true},
		"Waiting":     {reason: "a watch wakes it", err: finding.Waiting("R", "m")},
		"Invalid":     {reason: "a change wakes it", err: finding.Invalid("R", "m")},
		"Blocked":     {reason: "a watch wakes it", err: finding.Blocked("R", "m")},
		"Refused":     {reason: "a change wakes it", err: finding.InvalidResponse("m")},
		"Unwritable":  {reason: "time may help", err: finding.Unwritable("R", "m"), again: true},
		"Wrapped":     {reason: "it is the same wrapped", err: fmt.Errorf("w: %w", finding.Unwritable("R", "m")), again: true},
		"Failure":     {reason: "an operator should know", err: failure, want: failure},
		"Interrupted": {reason: "the next instance does it", stop: true, err: failure},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if tc.stop {
				cancel()
			}
			result, err := Quietly(ctx, tc.err)
			if again := !result.IsZero(); again != tc.again || !errors.Is(err, tc.want) || tc.want == nil && err != nil {
				t.Errorf("%s: %+v, %v", tc.reason, result, err)
			}
		})
	}
}
