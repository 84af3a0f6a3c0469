package v1alpha2

// Condition types of Bucket, BucketClaim and BucketAccess. All of them start
// as Unknown.
const (
	// ConditionProvisioned is True if the backend has the bucket or the access. Once True it
	// changes only for a definite and permanent loss.
	ConditionProvisioned = "Provisioned"

	// ConditionResourcesValidated is True if the object, and the objects that it refers to, are
	// valid. It is Unknown while one of them does not exist.
	ConditionResourcesValidated = "ResourcesValidated"

	// ConditionProvisionFailed is the outcome of the latest provisioning call to
	// the driver: True when it failed, False when it succeeded.
	ConditionProvisionFailed = "ProvisionFailed"
)
