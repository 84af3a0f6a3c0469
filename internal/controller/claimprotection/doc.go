// Package claimprotection keeps the annotation by which BucketAccesses hold on to
// their BucketClaim. While it is there the claim is not deleted.
//
// An access sets it before it is handed to the sidecar. The last access that
// needs the claim takes it away when it goes; the claim does the same for itself
// when an access has vanished without doing so, or when two of them went at once
// and each saw the other.
package claimprotection
