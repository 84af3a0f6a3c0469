// Package bucket provisions the Buckets of one driver in its backend, and
// deprovisions them. A bucket that the driver has to create comes in two phases:
// the driver names an ID, which is persisted, and only then creates what the ID
// stands for. So nothing exists in the backend that Kubernetes does not know of.
package bucket
