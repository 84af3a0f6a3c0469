// Package process runs the driver that the conformance suite tests, and ends it like Kubernetes:
// with SIGTERM, or with kill -9. It uses the emulator's supervisor, starts and ends processes, and
// keeps their output in a journal.
package process
