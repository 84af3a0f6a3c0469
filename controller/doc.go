// Package controller is the COSI controller: it gives every BucketClaim its
// Bucket, hands BucketAccesses to the sidecar of their driver, and takes both
// apart again. It talks to the API server only; whatever concerns a driver is
// the sidecar's.
//
// One reconciler for each kind, in a package of its own, walks an object through
// a list of phases. Nothing polls: what an object waits for is watched.
package controller
