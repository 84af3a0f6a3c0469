// Package backend describes the backend of an emulator: the store behind the fake drivers, the
// contents of its buckets, and the keys that applications have. Package emulator has aliases of the
// types; this package does not link the emulator.
package backend
