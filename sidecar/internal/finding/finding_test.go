package finding

import (
	"errors"
	"fmt"
	"testing"

	"google.golang.org/grpc/codes"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/sidecar/driver"
)

func TestFromDriver(t *testing.T) {
	tests := map[string]struct {
		err    error
		kind   Kind
		reason string
		retry  bool
	}{
		"Unavailable": {
			err: &driver.CallError{Code: codes.Unavailable}, kind: KindFailed, reason: v1alpha2.ReasonDriverError, retry: true,
		},
		"InvalidArgument": {
			err: &driver.CallError{Code: codes.InvalidArgument}, kind: KindRefused, reason: v1alpha2.ReasonDriverRefused,
		},
		"InvalidResponse": {
			err: &driver.InvalidResponseError{}, kind: KindRefused, reason: v1alpha2.ReasonInvalidDriverResponse,
		},
		"Wrapped": {
			err:  fmt.Errorf("w: %w", &driver.InvalidResponseError{}),
			kind: KindRefused, reason: v1alpha2.ReasonInvalidDriverResponse,
		},
		"Other": {err: errors.New("other"), kind: KindFailed, reason: v1alpha2.ReasonDriverError, retry: true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			found, ok := As(FromDriver(tc.err))
			if !ok || found.Kind != tc.kind || found.Reason != tc.reason || found.Retry() != tc.retry {
				t.Errorf("FromDriver(%v) = %+v", tc.err, found)
			}
		})
	}
	if err := FromDriver(nil); err != nil {
		t.Errorf("FromDriver(nil) = %v", err)
	}
}
