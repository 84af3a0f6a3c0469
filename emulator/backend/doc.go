// Package backend describes the backend of an emulator: the store behind the fake drivers, the
// contents of its buckets, and the keys that applications have. Package emulator has the types under
// the same names; this package has them without the emulator, for checks that do not start one.
package backend
