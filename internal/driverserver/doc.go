// Package driverserver runs the fake driver and its store as one server, for programs that run it beside
// a sidecar: in a Pod of a cluster, or on a laptop. The emulator does not use it, because there the
// driver and the store fail separately.
package driverserver
