// Package verdict turns what a driver does wrong into findings. It is the only
// place that decides whether a call is worth repeating.
package verdict

import (
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconciliation/finding"
	"github.com/cosi-emu/cosi-emu/sidecar/driver"
)

// Of turns an error of a call to the driver into a finding, and nil into nil.
func Of(err error) error {
	switch {
	case err == nil:
		return nil
	case driver.IsInvalidResponse(err):
		return InvalidResponse("%v", err)
	case driver.Terminal(err):
		return finding.Refused(v1alpha2.ReasonDriverRefused, "%v", err)
	default:
		return finding.Failed(v1alpha2.ReasonDriverError, "%v", err)
	}
}

// InvalidResponse returns the finding that the driver's answer is not what it
// has to be.
func InvalidResponse(format string, args ...any) error {
	return finding.Refused(v1alpha2.ReasonInvalidDriverResponse, format, args...)
}
