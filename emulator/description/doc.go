// Package description describes a running emulator. Package emulator has aliases of the types; this
// package does not link the emulator.
package description
