package v1alpha1

// Annotations that upstream COSI does not know, and ignores.
const (
	// GrantAnnotation on a BucketAccess is what the sidecar needs to revoke the access
	// when class, claim or Bucket do not exist any more, as JSON.
	GrantAnnotation = "objectstorage.k8s.io/grant"

	// BucketAccessReferenceAnnotation on a Secret names the BucketAccess that it belongs
	// to, as <namespace>/<name>.
	BucketAccessReferenceAnnotation = "objectstorage.k8s.io/bucketaccess-reference"

	// DriverNameAnnotation on a Secret names the driver of its BucketAccess. By it, the
	// driver's sidecar finds Secrets whose BucketAccess has vanished.
	DriverNameAnnotation = "objectstorage.k8s.io/driver-name"

	// DataDigestAnnotation on a Secret is a digest of the data that the sidecar has
	// written, by which it notices changes of others.
	DataDigestAnnotation = "objectstorage.k8s.io/data-digest"
)
