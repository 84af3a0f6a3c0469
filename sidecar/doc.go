// Package sidecar is the COSI sidecar, as KEP-1979 describes it. It runs beside one driver,
// provisions its Buckets and grants its BucketAccesses. It needs only the KEP's minimal
// permissions: it reads neither claims nor classes, and deletes only access Secrets.
package sidecar
