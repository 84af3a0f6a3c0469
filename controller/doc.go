// Package controller is the COSI controller. It gives every BucketClaim its Bucket,
// hands BucketAccesses off to the sidecar of their driver, and finalizes both when
// they are deleted. It talks only to the API server; the sidecar calls the driver.
//
// There is one reconciler for each kind, which walks an object through a list of
// phases. Nothing polls: the controller watches every object that another waits for.
package controller
