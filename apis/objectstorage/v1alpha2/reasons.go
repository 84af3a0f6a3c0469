package v1alpha2

// Reasons of the conditions, and of their events. The list is closed: components use no others.
const (
	// ReasonPending: not known yet.
	ReasonPending = "Pending"

	// ReasonProvisioned: the driver has provisioned the bucket or the access.
	ReasonProvisioned = "Provisioned"
	// ReasonValidated: all the objects concerned exist and are valid.
	ReasonValidated = "Validated"
	// ReasonDriverSucceeded: the latest call to the driver returned OK.
	ReasonDriverSucceeded = "DriverSucceeded"

	// ReasonBucketClassNotFound: waiting for the BucketClass.
	ReasonBucketClassNotFound = "BucketClassNotFound"
	// ReasonBucketAccessClassNotFound: waiting for the BucketAccessClass.
	ReasonBucketAccessClassNotFound = "BucketAccessClassNotFound"
	// ReasonBucketClaimNotFound: waiting for a BucketClaim.
	ReasonBucketClaimNotFound = "BucketClaimNotFound"
	// ReasonBucketNotFound: waiting for the existing Bucket of the claim.
	ReasonBucketNotFound = "BucketNotFound"
	// ReasonWaitingForBucket: the Bucket exists and is not ready yet.
	ReasonWaitingForBucket = "WaitingForBucket"
	// ReasonWaitingForDriver: the sidecar of the driver has the next step.
	ReasonWaitingForDriver = "WaitingForDriver"

	// ReasonDriverError: the driver returned an error that is not final. COSI retries.
	ReasonDriverError = "DriverError"
	// ReasonDriverRefused: the driver rejected the call with a final error. COSI does
	// not retry until something changes.
	ReasonDriverRefused = "DriverRefused"
	// ReasonInvalidDriverResponse: the driver's response violates the specification.
	ReasonInvalidDriverResponse = "InvalidDriverResponse"

	// ReasonInvalidSpec: the object's own spec cannot be satisfied.
	ReasonInvalidSpec = "InvalidSpec"
	// ReasonDegraded: spec, status or a bound object has changed in a way from
	// which COSI cannot recover by itself.
	ReasonDegraded = "Degraded"
	// ReasonBucketLost: the Bucket of the claim has vanished.
	ReasonBucketLost = "BucketLost"
	// ReasonBindingConflict: the Bucket belongs to another BucketClaim.
	ReasonBindingConflict = "BindingConflict"
	// ReasonBucketClaimDeleting: the BucketClaim is being deleted.
	ReasonBucketClaimDeleting = "BucketClaimDeleting"
	// ReasonBucketDeleting: the Bucket is being deleted.
	ReasonBucketDeleting = "BucketDeleting"
	// ReasonProtocolNotSupported: driver or bucket lacks a requested protocol.
	ReasonProtocolNotSupported = "ProtocolNotSupported"
	// ReasonAccessModeDisallowed: the class forbids a requested access mode.
	ReasonAccessModeDisallowed = "AccessModeDisallowed"
	// ReasonMultiBucketDisallowed: the class forbids several BucketClaims.
	ReasonMultiBucketDisallowed = "MultiBucketDisallowed"
	// ReasonServiceAccountRequired: the class needs a serviceAccountName.
	ReasonServiceAccountRequired = "ServiceAccountRequired"
	// ReasonDriverMismatch: the class and the Bucket have different drivers.
	ReasonDriverMismatch = "DriverMismatch"
	// ReasonDeletionPolicyNotAllowed: a bucket that existed before COSI must
	// not have the deletion policy Delete.
	ReasonDeletionPolicyNotAllowed = "DeletionPolicyNotAllowed"
	// ReasonSecretConflict: an access Secret exists and belongs to another object, or is named
	// twice.
	ReasonSecretConflict = "SecretConflict"
	// ReasonSecretWriteFailed: an access Secret cannot be written.
	ReasonSecretWriteFailed = "SecretWriteFailed"
	// ReasonClassSecretUnavailable: the Secret that the parameters of the class name for the driver does not exist, or cannot be
	// read or passed to the driver. COSI retries.
	ReasonClassSecretUnavailable = "ClassSecretUnavailable"

	// ReasonDeletionBlocked: the object is being deleted and must wait for another one.
	ReasonDeletionBlocked = "DeletionBlocked"
	// ReasonDeprovisioned: the driver has deleted the bucket or revoked the
	// access. Used in events only.
	ReasonDeprovisioned = "Deprovisioned"
	// ReasonBound: the BucketClaim is bound to its Bucket. Used in events only.
	ReasonBound = "Bound"

	// ReasonFailedCreateBucket: COSI fails to create a bucket. Used in events
	// only, on Bucket and BucketClaim; the conditions have the cause. The KEP
	// names this one and the next three, in "Monitoring Requirements".
	ReasonFailedCreateBucket = "FailedCreateBucket"
	// ReasonFailedDeleteBucket: COSI fails to delete a bucket. Used in events
	// only, on Bucket and BucketClaim.
	ReasonFailedDeleteBucket = "FailedDeleteBucket"
	// ReasonFailedGrantAccess: COSI fails to grant an access. Used in events
	// only, on BucketAccess.
	ReasonFailedGrantAccess = "FailedGrantAccess"
	// ReasonFailedRevokeAccess: COSI fails to revoke an access. Used in events
	// only, on BucketAccess.
	ReasonFailedRevokeAccess = "FailedRevokeAccess"
	// ReasonTolerated: the object has a value that the API allows and strict components
	// reject. Used in events only.
	ReasonTolerated = "Tolerated"
	// ReasonAPIError: the API server rejects a request of COSI, for instance for
	// missing permissions. Used in events only.
	ReasonAPIError = "APIError"
	// ReasonDriverNameCollision: two different drivers have one name. Used in
	// events only.
	ReasonDriverNameCollision = "DriverNameCollision"
)
