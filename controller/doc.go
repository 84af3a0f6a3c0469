// Package controller is the COSI controller. It gives every BucketClaim its Bucket, passes
// BucketAccesses to the sidecar of their driver, and finalizes both when they are deleted. It
// communicates only with the API server; the sidecar calls the driver.
//
// Each kind has one reconciler, a list of phases. Nothing polls: the controller watches every
// object that another waits for.
package controller
