package description

import (
	"strings"

	"sigs.k8s.io/yaml"
)

// Parameters are the settings that the author of a driver supplies.
type Parameters struct {
	// Implementation describes the driver in the report.
	Implementation Implementation `json:"implementation,omitzero"`
	// Bucket are the parameters of a BucketClass. Incompatible are other valid ones, which
	// describe another bucket. Access are the parameters of a BucketAccessClass.
	Bucket       map[string]string `json:"bucket,omitempty"`
	Incompatible map[string]string `json:"incompatible,omitempty"`
	Access       map[string]string `json:"access,omitempty"`
	// IncompatibleAccess are other valid parameters of a BucketAccessClass.
	IncompatibleAccess map[string]string `json:"incompatibleAccess,omitempty"`
	// ExistingBucket is the ID of a bucket that the driver did not create. The suite does
	// not write to it or delete it.
	ExistingBucket string `json:"existingBucket,omitempty"`
	// NonEmptyDeletion states how the driver answers the deletion of a bucket with objects: reject or
	// purge. If it is empty, a purge is reported, but does not change the verdict.
	NonEmptyDeletion string `json:"nonEmptyDeletion,omitempty"`
	// ServiceAccount is the name of the Kubernetes ServiceAccount for accesses without keys.
	// Default: conformance.
	ServiceAccount string `json:"serviceAccount,omitempty"`
	// S3Endpoint replaces the endpoint that the driver returns, for a suite that runs
	// outside of the network of applications. AzureEndpoint replaces the one in the token.
	S3Endpoint    string `json:"s3Endpoint,omitempty"`
	AzureEndpoint string `json:"azureEndpoint,omitempty"`
	// GCSEndpoint replaces Google's endpoint of the XML API, to which requests are signed with
	// the HMAC key.
	GCSEndpoint string `json:"gcsEndpoint,omitempty"`
}

// ParseParameters reads Parameters from YAML. Unknown fields are rejected.
func ParseParameters(text []byte) (Parameters, error) {
	var p Parameters
	err := yaml.UnmarshalStrict(text, &p)
	return p, err
}

// Implementation describes a driver to the readers of its report.
type Implementation struct {
	Name    string `json:"name,omitempty"`
	Version string `json:"version,omitempty"`
	// Contact is an address for questions, such as a URL or a mail address.
	Contact string `json:"contact,omitempty"`
}

// String implements fmt.Stringer.
func (i Implementation) String() string {
	text := strings.TrimSpace(i.Name + " " + i.Version)
	if i.Contact != "" {
		text += " (" + i.Contact + ")"
	}
	return strings.TrimSpace(text)
}
