package v1alpha2

// Annotations tell the COSI components, and users, how objects relate. Presence counts; the value
// of the first three is empty.
const (
	// BucketClaimBeingDeletedAnnotation on a Bucket means that its BucketClaim is being deleted, so
	// that deprovisioning may proceed.
	BucketClaimBeingDeletedAnnotation = "objectstorage.k8s.io/bucketclaim-being-deleted"

	// MisspeltBucketClaimBeingDeletedAnnotation is the same annotation as spelled in the KEP's
	// control flows, without the "s" of k8s. It is read, but never written.
	MisspeltBucketClaimBeingDeletedAnnotation = "objectstorage.k8.io/bucketclaim-being-deleted"

	// HasBucketAccessReferencesAnnotation on a BucketClaim means that at least one BucketAccess
	// refers to it, which blocks its deletion.
	HasBucketAccessReferencesAnnotation = "objectstorage.k8s.io/has-bucketaccess-references"

	// SidecarCleanupFinishedAnnotation on a BucketAccess means that the sidecar has deleted the
	// Secrets and revoked the access.
	SidecarCleanupFinishedAnnotation = "objectstorage.k8s.io/sidecar-cleanup-finished"

	// BucketAccessReferenceAnnotation on a Secret names the Secret's BucketAccess, as
	// <namespace>/<name>. Users read it, and the sidecar if the Secret has lost its owner
	// reference.
	BucketAccessReferenceAnnotation = "objectstorage.k8s.io/bucketaccess-reference"

	// DriverNameAnnotation on a Secret names the driver of its BucketAccess. The driver's sidecar
	// needs it to find Secrets whose BucketAccess has vanished.
	DriverNameAnnotation = "objectstorage.k8s.io/driver-name"

	// BucketClaimReferenceAnnotation on a Secret names the Secret's BucketClaim, as
	// <namespace>/<name>. Only users read it.
	BucketClaimReferenceAnnotation = "objectstorage.k8s.io/bucketclaim-reference"
)

// IsBucketClaimBeingDeleted reports whether a Bucket has the annotation, in either spelling, for
// the deletion of its BucketClaim.
func IsBucketClaimBeingDeleted(b *Bucket) bool {
	_, right := b.Annotations[BucketClaimBeingDeletedAnnotation]
	_, misspelt := b.Annotations[MisspeltBucketClaimBeingDeletedAnnotation]
	return right || misspelt
}

// IsSidecarCleanupFinished reports whether the sidecar has returned a deleting BucketAccess to the
// controller. Before the deletion, or while the access is ready to use, the annotation means
// nothing: the sidecar cannot have set it, because it withdraws an access before it cleans up.
func IsSidecarCleanupFinished(a *BucketAccess) bool {
	_, finished := a.Annotations[SidecarCleanupFinishedAnnotation]
	return finished && !a.DeletionTimestamp.IsZero() && !a.Status.ReadyToUse
}
