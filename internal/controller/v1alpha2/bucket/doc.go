// Package bucket announces the Buckets whose BucketClaim has vanished without its finalizer, so
// that an administrator can delete them. It reports a failed deletion of a Bucket to the users of
// its vanished claim. The reconciler of claims, and the sidecar, do everything else.
package bucket
