// Package s3core answers the operations of S3 that gofakes3 serves. A request reaches gofakes3 only
// in parts that were validated, and its answer is corrected on the way to the client.
package s3core
