// Package bucket provisions the Buckets of one driver in its backend, and deprovisions them. The
// creation of a bucket has two phases: the driver generates an ID, which is persisted, and only
// then creates the bucket. So Kubernetes knows of everything in the backend.
package bucket
