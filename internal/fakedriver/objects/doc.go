// Package objects keeps what is in buckets: objects with their versions, tags and
// checksums, and uploads in parts. It exists because none of gofakes3's backends
// stores what S3 promises: a PUT that replaces all of an object, ETags that stay,
// versions that can be deleted one by one, conditions that hold at the moment of
// the change.
//
// The index is always in memory: a B-tree a bucket, so that a listing seeks
// instead of scanning. Contents and, with a blob store that has a directory, records
// of every change are in package blobstore; a change is in the blob store before it is in
// the index, so that no reader sees a change that a crash undoes.
//
// It knows nothing of HTTP, accounts and grants. Errors are those of package
// s3error where a client can have caused them.
package objects
