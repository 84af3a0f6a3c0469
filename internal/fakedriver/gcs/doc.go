// Package gcs is a Google Cloud Storage service for the fake driver. It has the parts
// of the JSON API, and of the XML API's downloads, with which applications read and
// write objects. It exists so that Google's own clients can test the GCS protocol of
// COSI.
//
// Accounts, grants, buckets, deadlines and servers are those of package store. This
// package stores only the objects of GCS buckets. A request goes through phases before
// it reads or changes anything: authentication, the allow-list of operations, the
// grants, and the body within limits.
//
// Google's clients send tokens that Google issues. Here, nothing issues tokens: the
// token is the key itself, ACCESS_ID, a colon, and ACCESS_SECRET, from the Secret of
// the BucketAccess.
package gcs
