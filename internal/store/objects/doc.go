// Package objects stores the contents of buckets: objects with versions, tags and checksums, and
// uploads in parts. No backend of gofakes3 has S3's guarantees: a PUT that replaces the whole
// object, stable ETags, versions that can be deleted one by one, and conditions that are evaluated
// atomically with the change.
//
// The index is in memory: one B-tree for each bucket, so that a listing seeks instead of scanning.
// Package blobstore has the contents and, if it is durable, a record of each change. A change is in
// the blob store before it is in the index, so that no reader sees a change that a crash reverts.
//
// The package does not depend on HTTP, accounts and grants. Errors that clients cause are errors of
// package s3error.
package objects
