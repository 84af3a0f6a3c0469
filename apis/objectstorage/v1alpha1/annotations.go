package v1alpha1

// Upstream COSI ignores these annotations.
const (
	// GrantAnnotation on a BucketAccess has the data, as JSON, with which the sidecar revokes the
	// access after class, claim or Bucket have been deleted.
	GrantAnnotation = "objectstorage.k8s.io/grant"

	// BucketAccessReferenceAnnotation on a Secret names the Secret's BucketAccess, as
	// <namespace>/<name>.
	BucketAccessReferenceAnnotation = "objectstorage.k8s.io/bucketaccess-reference"

	// DriverNameAnnotation on a Secret names the driver of its BucketAccess. The driver's sidecar
	// needs it to find Secrets whose BucketAccess has vanished.
	DriverNameAnnotation = "objectstorage.k8s.io/driver-name"

	// DataDigestAnnotation on a Secret is a digest of the data that the sidecar has written, so
	// that it detects changes by others.
	DataDigestAnnotation = "objectstorage.k8s.io/data-digest"

	// FinalGenerationAnnotation on an Event means that COSI does not retry until an object or the driver changes. It has
	// the generation of the object that failed, as a decimal number.
	FinalGenerationAnnotation = "objectstorage.k8s.io/final-generation"
)
