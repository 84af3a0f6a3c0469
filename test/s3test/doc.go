// Package s3test serves a store for the tests of the S3 service and of the store: a [Server] with
// buckets and accounts, an [App] with the client of an application, and requests on which everything
// can be changed, in bytes ([Wire]), with a signature ([Signed]), or from a browser ([Form]).
package s3test
