// Package blobstore stores records and blobs, in memory or in a directory. It ensures durability in
// one place: after a crash, all accepted commits are present, and no others.
//
// In a directory, records and blobs up to 64 KiB are in one bbolt file, and concurrent callers
// share its transactions. A larger blob is a file, which is written and flushed before the
// transaction that refers to it. docs/s3.md has the measurements behind this.
//
// The package does not depend on buckets, objects and accounts.
package blobstore
