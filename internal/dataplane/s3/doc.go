// Package s3 is the data plane of S3: it serves HTTP requests to the store's buckets.
//
// A request goes through the phases of package pipeline, and each rejection is an S3 error. Package
// answers performs requests that pass all other phases, some of them with gofakes3, which checks
// neither signatures nor permissions.
package s3
