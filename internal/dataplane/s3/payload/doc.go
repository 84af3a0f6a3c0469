// Package payload receives the body of an S3 request. It verifies the declarations in headers and
// trailers: length, signature, digests and checksums. Nothing is stored before the whole body is
// received and verified.
package payload
