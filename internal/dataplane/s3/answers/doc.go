// Package answers performs the operations of S3 and writes their responses, for requests that
// package s3 has accepted: one function for each operation, and a table of them. It checks no
// permissions.
package answers
