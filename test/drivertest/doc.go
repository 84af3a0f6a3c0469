// Package drivertest has a COSI driver for tests of its clients. It is a real gRPC
// server, on a connection in memory. It behaves well until a test scripts a call. It
// records the calls, and has the buckets and accounts that were created, so that a
// test can find leaks.
package drivertest
