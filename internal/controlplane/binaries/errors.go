package binaries

// UnavailableError means that programs are not on this machine, and can only be had by a
// download or a build, which Options forbid.
type UnavailableError struct {
	// Err is why they cannot be downloaded.
	Err error
}

// Error implements error.
func (e *UnavailableError) Error() string {
	return "the control plane programs are not on this machine: " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *UnavailableError) Unwrap() error { return e.Err }
