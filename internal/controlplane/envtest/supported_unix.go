//go:build unix

package envtest

// Supported returns the reason for which this package has no control plane on this operating
// system, or nil.
func Supported() error { return nil }
