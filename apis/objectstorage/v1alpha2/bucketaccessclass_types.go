package v1alpha2

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// BucketAccessClass describes a kind of access that BucketAccesses can request: the driver that
// grants it, how applications authenticate, and the disallowed access modes.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster,shortName=baclass,categories=cosi
// +kubebuilder:metadata:annotations="api-approved.kubernetes.io=unapproved, experimental v1alpha2 changes"
// +kubebuilder:printcolumn:name="Driver",type=string,JSONPath=`.spec.driverName`
// +kubebuilder:printcolumn:name="Authentication",type=string,JSONPath=`.spec.authenticationType`
// +kubebuilder:printcolumn:name="Multi-Bucket",type=string,JSONPath=`.spec.multiBucketAccess`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type BucketAccessClass struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec describes the accesses of this class. It is immutable.
	// +required
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="spec is immutable"
	Spec BucketAccessClassSpec `json:"spec"`
}

// BucketAccessClassSpec describes the accesses of a BucketAccessClass.
type BucketAccessClassSpec struct {
	// driverName is the name of the driver that grants accesses of this class.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-zA-Z0-9]([a-zA-Z0-9\-\.]{0,61}[a-zA-Z0-9])?$`
	DriverName string `json:"driverName"`

	// authenticationType is how applications authenticate. Key means with keys or tokens from the
	// access Secret; ServiceAccount means with the Pod's Kubernetes ServiceAccount.
	// +required
	AuthenticationType AuthenticationType `json:"authenticationType"`

	// parameters are passed to the driver unchanged.
	// +optional
	// +kubebuilder:validation:MinProperties=1
	// +kubebuilder:validation:MaxProperties=512
	Parameters map[string]string `json:"parameters,omitempty"`

	// multiBucketAccess decides whether a BucketAccess of this class may refer to several
	// BucketClaims. SingleBucket, the default, allows one; MultipleBuckets allows one or more.
	// +optional
	MultiBucketAccess MultiBucketAccess `json:"multiBucketAccess,omitempty"`

	// disallowedBucketAccessModes lists the access modes that a BucketAccess of this class may not
	// request.
	// +optional
	DisallowedBucketAccessModes *DisallowedBucketAccessModes `json:"disallowedBucketAccessModes,omitempty"`
}

// DisallowedBucketAccessModes lists the disallowed modes of each category of permissions.
//
// +kubebuilder:validation:MinProperties=1
type DisallowedBucketAccessModes struct {
	// objectData lists the disallowed modes for the objects of a bucket.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=3
	ObjectData []BucketAccessMode `json:"objectData,omitempty"`

	// objectMetadata lists the disallowed modes for the metadata of objects.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=3
	ObjectMetadata []BucketAccessMode `json:"objectMetadata,omitempty"`

	// bucketMetadata lists the disallowed modes for the metadata of the bucket itself.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=3
	BucketMetadata []BucketAccessMode `json:"bucketMetadata,omitempty"`
}

// BucketAccessClassList is a list of BucketAccessClasses.
//
// +kubebuilder:object:root=true
type BucketAccessClassList struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []BucketAccessClass `json:"items"`
}
