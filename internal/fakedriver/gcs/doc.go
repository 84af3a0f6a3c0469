// Package gcs is a service of Google Cloud Storage for the fake driver: the part
// of the JSON API, and of the XML API's downloads, that applications use to read
// and write objects, for one machine. It exists so that the GCS protocol of COSI
// can be tried with Google's own clients.
//
// Accounts, grants, buckets, deadlines and servers are those of package store;
// only the objects of buckets of GCS are kept here. Each request goes through
// phases that find out who asks, look up the operation in an allow-list and the
// right to it in the grants, and read the body within limits, before anything is
// read or changed.
//
// Google's clients send tokens that Google has issued. Nothing issues tokens here, so
// the token is the key itself: ACCESS_ID, a colon,
// and ACCESS_SECRET, from the Secret of the BucketAccess.
package gcs
