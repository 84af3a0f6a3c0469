// Package adminapi is how other processes of the same user steer a running
// emulator: HTTP over a UNIX socket that only its owner may use. `cosi-emu fault`
// is its client.
package adminapi
