// Package payload reads the body of a request of S3, and verifies what the headers
// and trailers declare about it: length, signature, digests and checksums. It
// exists so that nothing is stored before all of its body has arrived and is
// right.
package payload
