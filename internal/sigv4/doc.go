// Package sigv4 computes signatures of AWS Signature Version 4 for the service s3, and Google Cloud
// Storage's, which have the same form: of requests in canonical form, and of other texts. It does
// not decide which requests are acceptable.
package sigv4
