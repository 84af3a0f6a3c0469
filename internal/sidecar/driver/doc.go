// Package driver is the sidecar's side of the conversation with a COSI driver:
// one gRPC connection, the calls in terms of the Kubernetes objects that they
// are for, and the judgement of what comes back. It exists so that no reconciler
// ever sees an answer that has not been checked, makes a call without a
// deadline, or has to know what a gRPC status code means for retries.
package driver
