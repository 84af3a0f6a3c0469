package binaries

// UnavailableError means that programs are not on this machine, and Options forbid the download or
// build.
type UnavailableError struct {
	Err error
}

func (e *UnavailableError) Error() string {
	return "the control plane programs are not on this machine: " + e.Err.Error()
}

func (e *UnavailableError) Unwrap() error { return e.Err }
