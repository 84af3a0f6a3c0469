package v1alpha2

import "k8s.io/apimachinery/pkg/types"

// ProtectionFinalizer keeps a BucketClaim, Bucket, BucketAccess or access Secret until COSI has
// cleaned up its backend.
const ProtectionFinalizer = "objectstorage.k8s.io/protection"

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

// Limits that the API server enforces on IDs and names, for components that must validate a value
// before they write it.
const (
	// IDPattern matches bucket IDs and account IDs.
	IDPattern = `^[a-zA-Z0-9/._-]+$`
	// IDMaxLength is the maximum length of a bucket ID or account ID, in bytes.
	IDMaxLength = 2048
	// DriverNamePattern matches driver names.
	DriverNamePattern = `^[a-zA-Z0-9]([a-zA-Z0-9\-\.]{0,61}[a-zA-Z0-9])?$`
	// DriverNameMaxLength is the maximum length of a driver name, in bytes.
	DriverNameMaxLength = 63
)

const (
	dynamicBucketPrefix = "bc-"
	accountPrefix       = "ba-"
)

// BucketNameForClaim is the name of the Bucket that is created for the
// BucketClaim with the given UID.
func BucketNameForClaim(claim types.UID) string { return dynamicBucketPrefix + string(claim) }

// AccountNameForAccess is the idempotency key by which a driver recognizes the BucketAccess with
// the given UID.
func AccountNameForAccess(access types.UID) string { return accountPrefix + string(access) }

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
