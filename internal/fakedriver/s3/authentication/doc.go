// Package authentication finds out whose request of S3 it is: it reads Signature
// Version 4 from a header or a presigned URL, and verifies it. The signature itself
// is verified by rclone's library; what that leaves to its callers is checked here.
// Ways to authenticate that S3 has and the store has not are rejected by name, so
// that users do not look for a wrong secret. All errors are those of S3.
package authentication
