package verdict

import (
	"errors"
	"fmt"
	"testing"

	"google.golang.org/grpc/codes"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconciliation/finding"
	"github.com/cosi-emu/cosi-emu/sidecar/driver"
)

func TestOf(t *testing.T) {
	tests := map[string]struct {
		err    error
		kind   finding.Kind
		reason string
		retry  bool
	}{
		"Unavailable": {
			err: &driver.CallError{Code: codes.Unavailable}, kind: finding.KindFailed, reason: v1alpha2.ReasonDriverError, retry: true,
		},
		"InvalidArgument": {
			err: &driver.CallError{Code: codes.InvalidArgument}, kind: finding.KindRefused, reason: v1alpha2.ReasonDriverRefused,
		},
		"InvalidResponse": {
			err: &driver.InvalidResponseError{}, kind: finding.KindRefused, reason: v1alpha2.ReasonInvalidDriverResponse,
		},
		"Wrapped": {
			err:  fmt.Errorf("w: %w", &driver.InvalidResponseError{}),
			kind: finding.KindRefused, reason: v1alpha2.ReasonInvalidDriverResponse,
		},
		"Other": {err: errors.New("other"), kind: finding.KindFailed, reason: v1alpha2.ReasonDriverError, retry: true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			found, ok := finding.As(Of(tc.err))
			if !ok || found.Kind != tc.kind || found.Reason != tc.reason || found.Retry() != tc.retry {
				t.Errorf("Of(%v) = %+v", tc.err, found)
			}
		})
	}
	if err := Of(nil); err != nil {
		t.Errorf("Of(nil) = %v", err)
	}
}
