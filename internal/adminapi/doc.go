// Package adminapi controls a running emulator from other processes of the same user: HTTP over a
// UNIX socket that only its owner may use. `cosi-emu fault` is a client.
package adminapi
