// Package gcs is a Google Cloud Storage service for the fake driver. It has the parts of the
// JSON API and of the XML API with which applications read and write objects. It exists so
// that the clients of applications can test the GCS protocol of COSI.
//
// Accounts, grants, buckets, objects, deadlines and servers are those of package store. An
// object is a version of package objects: its generation is the number of the version. A
// request goes through phases before it reads or changes anything: authentication, the
// allow-list of operations, the grants, and the body within limits.
//
// Clients authenticate in two ways, with ACCESS_ID and ACCESS_SECRET from the Secret of the
// BucketAccess. Clients of the XML API sign requests or URLs with the secret; the S3 service
// answers those, with Dialect for what Google has of its own. Google's clients of the JSON API
// send tokens that Google issues. Here, nothing issues tokens: the token is the key itself,
// ACCESS_ID, a colon, and ACCESS_SECRET.
package gcs
