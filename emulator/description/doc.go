// Package description describes a running emulator. Package emulator has the types under the same
// names; this package has them without the emulator, for programs that read a description and do not
// start one.
package description
