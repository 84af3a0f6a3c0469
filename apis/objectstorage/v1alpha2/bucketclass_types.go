package v1alpha2

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// BucketClass describes a kind of bucket that BucketClaims can request: the driver that creates it,
// its parameters, and its deletion policy.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster,shortName=bclass,categories=cosi
// +kubebuilder:metadata:annotations="api-approved.kubernetes.io=unapproved, experimental v1alpha2 changes"
// +kubebuilder:printcolumn:name="Driver",type=string,JSONPath=`.spec.driverName`
// +kubebuilder:printcolumn:name="Policy",type=string,JSONPath=`.spec.deletionPolicy`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type BucketClass struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec describes the buckets of this class. It is immutable.
	// +required
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="spec is immutable"
	Spec BucketClassSpec `json:"spec"`
}

// BucketClassSpec describes the buckets of a BucketClass.
type BucketClassSpec struct {
	// driverName is the name of the driver that serves buckets of this class.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-zA-Z0-9]([a-zA-Z0-9\-\.]{0,61}[a-zA-Z0-9])?$`
	DriverName string `json:"driverName"`

	// deletionPolicy is copied to each Bucket of this class. Retain keeps the
	// Bucket and the backend bucket when the BucketClaim is deleted; Delete
	// deletes both.
	// +required
	DeletionPolicy DeletionPolicy `json:"deletionPolicy"`

	// parameters are passed to the driver unchanged.
	// +optional
	// +kubebuilder:validation:MinProperties=1
	// +kubebuilder:validation:MaxProperties=512
	Parameters map[string]string `json:"parameters,omitempty"`
}

// BucketClassList is a list of BucketClasses.
//
// +kubebuilder:object:root=true
type BucketClassList struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []BucketClass `json:"items"`
}
