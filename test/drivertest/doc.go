// Package drivertest has a COSI driver for tests of what talks to drivers. It is
// a real gRPC server, on a connection in memory, that behaves well until it is
// told not to: each call can be scripted. It keeps what it was called with, and
// which buckets and accounts it has, so that a test can look for leaks.
package drivertest
