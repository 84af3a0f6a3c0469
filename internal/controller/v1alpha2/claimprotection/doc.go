// Package claimprotection maintains the annotation by which BucketAccesses protect their
// BucketClaim from deletion.
//
// An access sets the annotation before it is handed off to the sidecar. The last access that needs
// the claim removes it when it is deleted. The claim removes it itself if an access has vanished
// without doing so, or if two accesses were deleted at once and each saw the other.
package claimprotection
