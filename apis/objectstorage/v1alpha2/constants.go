package v1alpha2

// ProtectionFinalizer keeps a BucketClaim, Bucket, BucketAccess or access Secret until COSI has
// cleaned up its backend.
const ProtectionFinalizer = "objectstorage.k8s.io/protection"

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
