// Package sidecar is the COSI sidecar: beside one driver, it provisions the
// Buckets and grants the BucketAccesses that are of that driver, as KEP-1979
// describes it. It runs with the KEP's minimal permissions: it reads neither
// claims nor classes, and deletes nothing but access Secrets.
package sidecar
