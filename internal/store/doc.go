// Package store is the object store of the fake driver. It has two sides: applications
// use S3 through [Store.Handler] or [Store.Serve], and the driver calls the
// administrative methods, such as CreateBucket and PutAccount. With [Options.Dir],
// their changes are durable when they return.
//
// Its parts; each imports only those below it:
//
//	store           opens and closes everything
//	s3, gcs         a data plane for each protocol; gcs is on top of store
//	administration  creates and deletes buckets and accounts
//	persistence     the records of buckets and accounts
//	authorization   the current permissions
//	objects         the contents of S3's buckets: versions, uploads, quotas
//	cors            which pages of other origins may use a bucket
//	blobstore       bytes and records, in memory or in a directory
//	httpserver      connections, deadlines, and their end
package store
