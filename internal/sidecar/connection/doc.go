// Package connection is a sidecar's connection to its driver, whatever generation of the
// protocol the driver speaks: the wait for the driver, its identity, calls with a
// deadline, what their errors mean, and their metrics. The packages that know the
// messages of a generation are built on it.
package connection
