// Package gcs is a service of Google Cloud Storage for the fake driver: the part
// of the JSON API, and of the XML API's downloads, that applications use to read
// and write objects, for one machine. It exists so that the GCS protocol of COSI
// can be tried with Google's own clients.
//
// Objects are kept, listed and read by the library fake-gcs-server, which lets
// everybody do everything. So it is never reachable: each request goes through a
// gate that finds out who asks, looks up the operation in an allow-list and the
// right to it in the grants of package store, reads the body within limits, and
// then makes a request of its own to the library, of what it has understood.
// Uploads in several requests, conditions and changes of metadata are not left to
// the library at all, because it mixes up those of different buckets, ignores
// them, or loses them.
//
// Google's clients bring tokens that Google has given out. There is nobody here
// who could give them out, so the token is the key itself: ACCESS_ID, a colon,
// and ACCESS_SECRET, from the Secret of the BucketAccess.
package gcs
