// Package bucket announces the Buckets whose BucketClaim has vanished without its
// finalizer, so that an administrator can delete them. It reports to the users of a
// claim that has gone that its Bucket cannot be deleted. Everything else of a Bucket
// is up to the reconciler of its claim, and to the sidecar.
package bucket
