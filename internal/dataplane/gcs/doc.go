// Package gcs is a Google Cloud Storage service for the fake driver. It has the parts of the JSON
// API and of the XML API with which applications read and write objects, so that their clients can
// test the GCS protocol of COSI.
//
// It uses the accounts, grants, buckets, objects, deadlines and servers of package store. An object
// is a version of package objects: its generation is the number of the version. A request goes
// through the phases of package pipeline.
//
// Clients authenticate in two ways, with ACCESS_ID and ACCESS_SECRET from the Secret of the
// BucketAccess. Clients of the XML API sign requests or URLs with the secret; an S3
// service with Google's dialect answers those. Google's clients of the JSON API send
// tokens that Google issues. Here, the token is the key itself: ACCESS_ID, a colon, and
// ACCESS_SECRET.
package gcs
