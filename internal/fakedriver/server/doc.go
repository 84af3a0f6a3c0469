// Package server is the fake driver and its S3 store as one service, for
// programs that run it beside a sidecar: in a Pod of a cluster, or on a laptop.
// The emulator does not use it, because it lets driver and store fail separately.
package server
