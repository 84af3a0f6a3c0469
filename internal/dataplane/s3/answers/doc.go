// Package answers carries out the operations of S3 and writes their answers, for
// requests that package s3 has accepted: one function for each operation, and a
// table of them. It decides nothing about permissions.
package answers
