// Package v1alpha1 is the COSI controller for clusters with the kinds of API version v1alpha1. It
// gives every BucketClaim its Bucket, and removes it when the claim is deleted. It communicates
// only with the API server; the sidecar calls the driver, and reconciles BucketAccesses alone.
//
// The controller is compatible with the objects of the controller of COSI v0.2, and with its
// sidecars and drivers. These are the rules:
//
//   - A claim names a class or an existing Bucket. A claim with neither or both is rejected.
//   - A claim waits for its class or its Bucket by a watch, so the order of creation does not
//     matter. It is ready while its Bucket is, and not when one of the two is being deleted.
//   - A Bucket belongs to one claim. Another claim is rejected until the Bucket is released.
//   - An existing Bucket must have the claim's protocols. The controller sets only its
//     reference to the claim.
//   - A claim whose Bucket has vanished is not ready, and never gets another Bucket of the class:
//     that would hide the loss of the data.
//   - A claim that is being deleted waits for all BucketAccesses that name it. Then its Bucket
//     is deleted, with either deletion policy: the sidecar keeps the bucket in the backend if
//     the policy is Retain. The claim waits until the Bucket is deleted.
//   - An existing Bucket with the policy Retain is not deleted with its claim. The controller
//     empties its reference, so that another claim can bind it.
//
// Claims have no conditions in v1alpha1. Events report why a claim waits, and its errors.
package v1alpha1
