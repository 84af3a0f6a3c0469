// Package blobstore keeps records and bytes, in memory or in a directory. It exists
// so that what knows of buckets and objects has one way of keeping them, and so
// that what "durable" means is decided in one place: what Commit has accepted is
// there after a crash, and what it has not accepted is not.
//
// In a directory, records and blobs of up to 64 KiB are in one bbolt file, whose
// transactions are shared by callers who come at the same time; a larger blob is
// a file of its own, which is written and flushed before the transaction that
// makes it known. docs/s3.md has the measurements behind this.
//
// It knows nothing of buckets, objects and accounts.
package blobstore
