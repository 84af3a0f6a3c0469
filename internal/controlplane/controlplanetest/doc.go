// Package controlplanetest gives tests a real API server. All tests of a test binary share it,
// because a start takes seconds. Each test uses its own namespace.
//
// It needs no TestMain: the control plane and its directory are removed when the test binary ends,
// also after a panic, a timeout or kill -9.
package controlplanetest
