// Package s3 is the data plane of S3: it serves HTTP requests to the store's buckets.
//
// A request goes through a list of phases: authentication, operation, permission, and body. Each
// phase has its own file, and each rejection is an S3 error. Package answers handles requests that
// pass all phases, some of them with gofakes3, which checks neither signatures nor permissions.
package s3
