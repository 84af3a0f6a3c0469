package evidence

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/hub"
)

type v1alpha1Fields struct {
	DriverName         string                      `json:"driverName"`
	DeletionPolicy     v1alpha1.DeletionPolicy     `json:"deletionPolicy"`
	AuthenticationType v1alpha1.AuthenticationType `json:"authenticationType"`
	Parameters         map[string]string           `json:"parameters"`

	// finalizers are the object's finalizers, by their names in its version.
	finalizers []string
}

type v1alpha1Spec struct {
	BucketClaim           *corev1.ObjectReference `json:"bucketClaim"`
	BucketClaimName       string                  `json:"bucketClaimName"`
	CredentialsSecretName string                  `json:"credentialsSecretName"`
	BucketAccessClassName string                  `json:"bucketAccessClassName"`
}

// normalize moves the fields of an object of v1alpha1 to their place in v1alpha2.
func (o *Object) normalize() {
	o.finalizers = o.Metadata.Finalizers
	o.Metadata.Finalizers = hub.Finalizers(o.finalizers)
	spec, status := &o.Spec, &o.Status
	spec.DriverName = cmp.Or(spec.DriverName, o.DriverName)
	spec.DeletionPolicy = cmp.Or(spec.DeletionPolicy, v1alpha2.DeletionPolicy(o.DeletionPolicy))
	if spec.Parameters == nil {
		spec.Parameters = o.Parameters
	}
	if spec.BucketClaim != nil {
		spec.BucketClaimRef = hub.ClaimReference(spec.BucketClaim)
	}
	if spec.BucketClaimName != "" {
		spec.BucketClaims = []v1alpha2.BucketClaimAccess{{BucketClaimName: spec.BucketClaimName, AccessSecretName: spec.CredentialsSecretName}}
	}
	spec.Protocol = hub.Protocol(v1alpha1.Protocol(spec.Protocol))
	for i, protocol := range spec.Protocols {
		spec.Protocols[i] = hub.Protocol(v1alpha1.Protocol(protocol))
	}
	status.BoundBucketName = cmp.Or(status.BoundBucketName, status.BucketName)
	if grant, ok := hub.GrantOf(o.Metadata.Annotations); ok {
		status.DriverName, status.AuthenticationType = grant.DriverName, hub.AuthenticationType(grant.AuthenticationType)
		status.AccessedBuckets = []v1alpha2.AccessedBucket{grant.AccessedBucket(spec.BucketClaimName)}
	}
}

// KeptForAccess reports whether a Bucket of v1alpha1 has the finalizer that keeps it while an
// access to it exists. Observations do not distinguish COSI's finalizers.
func (o *Object) KeptForAccess() bool {
	return slices.Contains(o.finalizers, v1alpha1.BucketAccessBucketFinalizer) || slices.Contains(o.finalizers, v1alpha2.ProtectionFinalizer)
}
