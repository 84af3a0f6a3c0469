// Package driver is the sidecar's client of a COSI driver: one gRPC connection, the
// calls in terms of Kubernetes objects, and the validation of the answers. With it,
// no reconciler sees an answer that was not validated, makes a call without a
// deadline, or has to know which gRPC status codes are retried.
package driver
