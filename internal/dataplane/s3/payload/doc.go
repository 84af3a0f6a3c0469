// Package payload receives the body of an S3 request. It verifies what headers and
// trailers declare: length, signature, digests and checksums. Nothing is stored before
// the whole body is received and verified.
package payload
