// Package controlplanetest gives tests a real API server. All tests of a test
// binary share one, because a start takes seconds; they keep out of each other's
// way by namespaces.
//
// No TestMain is needed to stop it: the control plane and its directory go when
// the test binary ends, also by a panic, a timeout or kill -9.
package controlplanetest
