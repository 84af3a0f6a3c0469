package v1alpha2

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// BucketClaim requests a bucket: a new one of a BucketClass, or an existing one that an
// administrator has imported as a Bucket.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,shortName=bc,categories=cosi
// +kubebuilder:metadata:annotations="api-approved.kubernetes.io=unapproved, experimental v1alpha2 changes"
// +kubebuilder:printcolumn:name="Class",type=string,JSONPath=`.spec.bucketClassName`
// +kubebuilder:printcolumn:name="Bucket",type=string,JSONPath=`.status.boundBucketName`
// +kubebuilder:printcolumn:name="Provisioned",type=string,JSONPath=`.status.conditions[?(@.type=="Provisioned")].status`
// +kubebuilder:printcolumn:name="Protocols",type=string,priority=1,JSONPath=`.status.protocols`
// +kubebuilder:printcolumn:name="Reason",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Provisioned")].reason`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.status) || has(self.status) || !(has(oldSelf.status.boundBucketName) || has(oldSelf.status.protocols))",message="status cannot be removed once boundBucketName or protocols are set",fieldPath=".status"
type BucketClaim struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec describes the requested bucket.
	// +required
	Spec BucketClaimSpec `json:"spec"`

	// status is the state of the claim.
	// +optional
	Status BucketClaimStatus `json:"status,omitzero"`
}

// BucketClaimSpec describes the requested bucket: exactly one of bucketClassName and
// existingBucketName. It is fixed at creation.
//
// +kubebuilder:validation:MinProperties=1
// +kubebuilder:validation:XValidation:rule="has(self.bucketClassName) != has(self.existingBucketName)",message="exactly one of bucketClassName and existingBucketName must be set"
// +kubebuilder:validation:XValidation:rule="has(oldSelf.bucketClassName) == has(self.bucketClassName)",message="bucketClassName cannot be added or removed after creation"
// +kubebuilder:validation:XValidation:rule="has(oldSelf.existingBucketName) == has(self.existingBucketName)",message="existingBucketName cannot be added or removed after creation"
// +kubebuilder:validation:XValidation:rule="has(oldSelf.protocols) == has(self.protocols)",message="protocols cannot be added or removed after creation"
type BucketClaimSpec struct {
	// bucketClassName is the BucketClass of a new bucket.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="!format.dns1123Subdomain().validate(self).hasValue()",message="bucketClassName must be a valid object name: lower-case letters, digits, '-' and '.', at most 253 characters"
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="bucketClassName is immutable"
	BucketClassName string `json:"bucketClassName,omitempty"`

	// protocols lists the protocols that the bucket must support. COSI checks that the driver
	// supports each of them.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=3
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="protocols are immutable"
	Protocols []Protocol `json:"protocols,omitempty"`

	// existingBucketName is the name of a Bucket object that an administrator has created for an
	// existing bucket.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="!format.dns1123Subdomain().validate(self).hasValue()",message="existingBucketName must be a valid object name: lower-case letters, digits, '-' and '.', at most 253 characters"
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="existingBucketName is immutable"
	ExistingBucketName string `json:"existingBucketName,omitempty"`
}

// BucketClaimStatus is the state of a BucketClaim.
//
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.boundBucketName) || has(self.boundBucketName)",message="boundBucketName cannot be removed once it is set"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.protocols) || has(self.protocols)",message="protocols cannot be removed once they are set"
type BucketClaimStatus struct {
	// readyToUse is true while the bucket is provisioned and the claim is not
	// being deleted.
	// +required
	ReadyToUse bool `json:"readyToUse"`

	// boundBucketName is the name of the Bucket that this claim is bound to.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="!format.dns1123Subdomain().validate(self).hasValue()",message="boundBucketName must be a valid object name: lower-case letters, digits, '-' and '.', at most 253 characters"
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="boundBucketName is immutable once it is set"
	BoundBucketName string `json:"boundBucketName,omitempty"`

	// protocols that the provisioned bucket supports, and a BucketAccess may request.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=3
	Protocols []Protocol `json:"protocols,omitempty"`

	// conditions are Provisioned, ResourcesValidated and ProvisionFailed.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// BucketClaimList is a list of BucketClaims.
//
// +kubebuilder:object:root=true
type BucketClaimList struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []BucketClaim `json:"items"`
}
