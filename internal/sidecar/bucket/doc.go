// Package bucket brings Buckets to life, and to their end, in the backend of one
// driver. A Bucket that the driver must create gets there in two phases: the
// driver names an ID, which is persisted, and only then creates what the ID
// stands for. So nothing exists in the backend that Kubernetes does not know of.
package bucket
