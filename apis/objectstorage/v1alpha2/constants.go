package v1alpha2

import "k8s.io/apimachinery/pkg/types"

// ProtectionFinalizer keeps a BucketClaim, Bucket, BucketAccess or access
// Secret from vanishing before COSI has cleaned up what stands behind it.
const ProtectionFinalizer = "objectstorage.k8s.io/protection"

// Annotations by which the COSI components tell each other, and users, how
// objects relate. Presence counts; the value of the first three is empty.
const (
	// BucketClaimBeingDeletedAnnotation on a Bucket says that the BucketClaim
	// bound to it is being deleted, so that deprovisioning may proceed.
	BucketClaimBeingDeletedAnnotation = "objectstorage.k8s.io/bucketclaim-being-deleted"

	// MisspeltBucketClaimBeingDeletedAnnotation is the same annotation as the
	// KEP's control flows spell it, without the "s" of k8s. It is honoured
	// where it is found and never written.
	MisspeltBucketClaimBeingDeletedAnnotation = "objectstorage.k8.io/bucketclaim-being-deleted"

	// HasBucketAccessReferencesAnnotation on a BucketClaim says that at least
	// one BucketAccess refers to it, which blocks its deletion.
	HasBucketAccessReferencesAnnotation = "objectstorage.k8s.io/has-bucketaccess-references"

	// SidecarCleanupFinishedAnnotation on a BucketAccess says that the sidecar
	// has removed the Secrets and revoked the access.
	SidecarCleanupFinishedAnnotation = "objectstorage.k8s.io/sidecar-cleanup-finished"

	// BucketAccessReferenceAnnotation on a Secret names the BucketAccess that
	// it belongs to, as <namespace>/<name>. It helps people, and the sidecar if
	// the Secret has lost its owner reference.
	BucketAccessReferenceAnnotation = "objectstorage.k8s.io/bucketaccess-reference"

	// DriverNameAnnotation on a Secret names the driver of its BucketAccess. By
	// it, the driver's sidecar finds Secrets whose BucketAccess has vanished.
	DriverNameAnnotation = "objectstorage.k8s.io/driver-name"

	// BucketClaimReferenceAnnotation on a Secret names the BucketClaim that it
	// gives access to, as <namespace>/<name>. It helps people, not code.
	BucketClaimReferenceAnnotation = "objectstorage.k8s.io/bucketclaim-reference"
)

// Limits that the API server enforces on IDs and names, for components that
// must judge a value before they write it.
const (
	// IDPattern is what a bucket ID or an account ID must match.
	IDPattern = `^[a-zA-Z0-9/._-]+$`
	// IDMaxLength is the longest bucket ID or account ID, in bytes.
	IDMaxLength = 2048
	// DriverNamePattern is what a driver name must match.
	DriverNamePattern = `^[a-zA-Z0-9]([a-zA-Z0-9\-\.]{0,61}[a-zA-Z0-9])?$`
	// DriverNameMaxLength is the longest driver name, in bytes.
	DriverNameMaxLength = 63
)

const (
	dynamicBucketPrefix = "bc-"
	accountPrefix       = "ba-"
)

// BucketNameForClaim is the name of the Bucket that is created for the
// BucketClaim with the given UID.
func BucketNameForClaim(claim types.UID) string { return dynamicBucketPrefix + string(claim) }

// AccountNameForAccess is the idempotency key by which a driver knows the
// BucketAccess with the given UID.
func AccountNameForAccess(access types.UID) string { return accountPrefix + string(access) }

// IsBucketClaimBeingDeleted reports whether the annotations of a Bucket say,
// in either spelling, that its BucketClaim is being deleted.
func IsBucketClaimBeingDeleted(b *Bucket) bool {
	_, right := b.Annotations[BucketClaimBeingDeletedAnnotation]
	_, misspelt := b.Annotations[MisspeltBucketClaimBeingDeletedAnnotation]
	return right || misspelt
}

// IsSidecarCleanupFinished reports whether the sidecar has handed a BucketAccess
// that is being deleted back to the controller. Before the deletion, or while
// the access is ready to use, the annotation says nothing: the sidecar cannot
// have set it, since it withdraws an access before it cleans up.
func IsSidecarCleanupFinished(a *BucketAccess) bool {
	_, finished := a.Annotations[SidecarCleanupFinishedAnnotation]
	return finished && !a.DeletionTimestamp.IsZero() && !a.Status.ReadyToUse
}
