// Package azure is an Azure Blob Storage service for the fake driver. It has the part of the Blob
// service's REST API with which applications read and write block blobs and append blobs, so that
// Azure's own clients can test the Azure protocol of COSI.
//
// It uses the accounts, grants, buckets, objects, contents, deadlines and servers of package store:
// a container is a bucket, a blob is an object, and a snapshot is an older version of it. A request
// goes through the phases of package pipeline.
//
// Clients authenticate with a shared access signature from the Secret of the BucketAccess; see
// package sas. It names a stored access policy, which ends with the access.
package azure
