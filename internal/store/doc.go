// Package store is the object store of the fake driver. It has two sides: applications use it through
// the services of package dataplane, one for each protocol, and the driver calls the administrative
// methods, such as CreateBucket and PutAccount. With [Options.Dir], their changes are durable when
// they return.
//
// Its parts; each imports only those below it:
//
//	store           opens and closes everything
//	administration  creates and deletes buckets and accounts
//	persistence     the records of buckets and accounts
//	authorization   the current permissions
//	objects         the contents of buckets: versions, uploads, quotas
//	checksum        the checksums of objects
//	blobstore       bytes and records, in memory or in a directory
package store
