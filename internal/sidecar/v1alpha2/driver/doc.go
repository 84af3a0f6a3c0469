// Package driver is the sidecar's client of a COSI driver: one gRPC connection, the calls in terms
// of Kubernetes objects, and the validation of the answers. It spares reconcilers unvalidated
// answers, calls without a deadline, and the classification of gRPC status codes.
package driver
