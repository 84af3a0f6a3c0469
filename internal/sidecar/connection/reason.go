package connection

import (
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

// ReasonFor returns the *reasons.Error for an error of a call to the driver, and nil for nil. It
// alone decides whether a call is retried.
func ReasonFor(err error) error {
	if found, ok := reasons.As(err); ok { // of a call that was not made
		return found
	}
	switch {
	case err == nil:
		return nil
	case IsInvalidResponse(err):
		return InvalidResponse("%v", err)
	case IsTerminal(err):
		return reasons.Rejected(v1alpha2.ReasonDriverRefused, "%v", err)
	default:
		return reasons.Failed(v1alpha2.ReasonDriverError, "%v", err)
	}
}

// InvalidResponse returns the *reasons.Error for an invalid answer of the driver.
func InvalidResponse(format string, args ...any) error {
	return reasons.Rejected(v1alpha2.ReasonInvalidDriverResponse, format, args...)
}
