// Package authentication identifies the sender of an S3 request. It reads Signature Version 4 from
// a header or a presigned URL, and verifies it. It rejects other authentication mechanisms of S3 by
// name, so that users do not suspect a wrong secret. All errors are S3's.
package authentication
