package driver

import (
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

// ReasonFor turns an error of a call to the driver into a finding, and nil into
// nil. It is the only place that decides whether a call is worth repeating.
func ReasonFor(err error) error {
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

// InvalidResponse returns the finding that the driver's answer is not what it
// has to be.
func InvalidResponse(format string, args ...any) error {
	return reasons.Rejected(v1alpha2.ReasonInvalidDriverResponse, format, args...)
}
