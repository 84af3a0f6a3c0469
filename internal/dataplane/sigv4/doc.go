// Package sigv4 computes signatures of AWS Signature Version 4 for the service s3, and those of
// Google Cloud Storage, which have the same form: of requests in canonical form, and of other
// texts. It does not decide which requests are acceptable.
package sigv4
