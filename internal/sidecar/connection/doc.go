// Package connection is a sidecar's connection to its driver, for all generations of the protocol:
// the wait for the driver, its identity, calls with a deadline, the classification of their errors,
// and their metrics. The packages for the messages of a generation use it.
package connection
