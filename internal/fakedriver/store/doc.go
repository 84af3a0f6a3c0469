// Package store puts together the object store beneath the fake driver, and is
// what the rest of the program sees of it. It has two sides: applications speak S3
// with [Store.Handler] or [Store.Serve]; the driver calls the methods of the
// embedded administrator, such as CreateBucket and PutAccount, which are durable
// before they return if there is [Options.Dir].
//
// The parts, each of which imports only what is below it:
//
//	store           opens and closes everything
//	s3, gcs         a data plane for each protocol; gcs is on top of store
//	administration  creates and deletes buckets and accounts
//	persistence     the records of buckets and accounts
//	authorization   the current permissions
//	objects         the contents of S3's buckets: versions, uploads, quotas
//	blobstore       bytes and records, in memory or in a directory
//	httpserver      connections, deadlines, and their end
package store
