package connection

import (
	"errors"
	"fmt"
	"testing"

	"google.golang.org/grpc/codes"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

func TestReasonFor(t *testing.T) {
	tests := map[string]struct {
		err    error
		kind   reasons.Kind
		reason string
		retry  bool
	}{
		// KEP: REASON-11
		"Unavailable": {
			err: &CallError{Code: codes.Unavailable}, kind: reasons.KindFailed, reason: v1alpha2.ReasonDriverError, retry: true,
		},
		// KEP: REASON-12
		"InvalidArgument": {
			err: &CallError{Code: codes.InvalidArgument, Final: true}, kind: reasons.KindRejected, reason: v1alpha2.ReasonDriverRefused,
		},
		"Rejected deletion": {
			err:  &CallError{Method: "DriverDeleteBucket", Code: codes.InvalidArgument},
			kind: reasons.KindFailed, reason: v1alpha2.ReasonDriverError, retry: true,
		},
		// KEP: REASON-13
		"InvalidResponse": {
			err: &InvalidResponseError{}, kind: reasons.KindRejected, reason: v1alpha2.ReasonInvalidDriverResponse,
		},
		"Wrapped": {
			err:  fmt.Errorf("w: %w", &InvalidResponseError{}),
			kind: reasons.KindRejected, reason: v1alpha2.ReasonInvalidDriverResponse,
		},
		"Call not made": {
			err: reasons.Invalid(v1alpha2.ReasonInvalidSpec, "no"), kind: reasons.KindInvalid, reason: v1alpha2.ReasonInvalidSpec,
		},
		"Other": {err: errors.New("other"), kind: reasons.KindFailed, reason: v1alpha2.ReasonDriverError, retry: true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			found, ok := reasons.As(ReasonFor(tc.err))
			if !ok || found.Kind != tc.kind || found.Reason != tc.reason || found.IsRetryable() != tc.retry {
				t.Errorf("ReasonFor(%v) = %+v", tc.err, found)
			}
		})
	}
	if err := ReasonFor(nil); err != nil {
		t.Errorf("ReasonFor(nil) = %v", err)
	}
}
