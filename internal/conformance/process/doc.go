// Package process runs the driver that the conformance suite tests, and ends it as
// Kubernetes does: with SIGTERM, or with kill -9. The supervisor is the emulator's; this
// package says when a process starts and ends, and keeps what it prints in a journal.
package process
