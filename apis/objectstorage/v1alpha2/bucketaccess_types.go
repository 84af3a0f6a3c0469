package v1alpha2

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// BucketAccess requests credentials for one or more buckets. COSI writes them, with everything else
// that an application needs to connect, into a Secret for each bucket.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,shortName=ba,categories=cosi
// +kubebuilder:metadata:annotations="api-approved.kubernetes.io=unapproved, experimental v1alpha2 changes"
// +kubebuilder:printcolumn:name="Class",type=string,JSONPath=`.spec.bucketAccessClassName`
// +kubebuilder:printcolumn:name="Protocol",type=string,JSONPath=`.spec.protocol`
// +kubebuilder:printcolumn:name="Claims",type=string,JSONPath=`.spec.bucketClaims[*].bucketClaimName`
// +kubebuilder:printcolumn:name="Provisioned",type=string,JSONPath=`.status.conditions[?(@.type=="Provisioned")].status`
// +kubebuilder:printcolumn:name="Secrets",type=string,priority=1,JSONPath=`.spec.bucketClaims[*].accessSecretName`
// +kubebuilder:printcolumn:name="Account-ID",type=string,priority=1,JSONPath=`.status.accountID`
// +kubebuilder:printcolumn:name="Reason",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Provisioned")].reason`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.status) || has(self.status) || !(has(oldSelf.status.accountID) || has(oldSelf.status.accessedBuckets) || has(oldSelf.status.driverName) || has(oldSelf.status.authenticationType) || has(oldSelf.status.parameters))",message="status cannot be removed once accountID, accessedBuckets, driverName, authenticationType or parameters are set",fieldPath=".status"
type BucketAccess struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec describes the requested access. It is fixed at creation.
	// +required
	Spec BucketAccessSpec `json:"spec"`

	// status is the state of the access.
	// +optional
	Status BucketAccessStatus `json:"status,omitzero"`
}

// BucketAccessSpec describes the requested access.
//
// +kubebuilder:validation:XValidation:rule="has(oldSelf.serviceAccountName) == has(self.serviceAccountName)",message="serviceAccountName cannot be added or removed after creation"
type BucketAccessSpec struct {
	// bucketClaims lists the BucketClaims of the access, all in the namespace of this BucketAccess.
	// +required
	// +listType=map
	// +listMapKey=bucketClaimName
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=128
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="bucketClaims are immutable"
	BucketClaims []BucketClaimAccess `json:"bucketClaims"`

	// bucketAccessClassName is the BucketAccessClass to use.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="bucketAccessClassName is immutable"
	BucketAccessClassName string `json:"bucketAccessClassName"`

	// protocol that the application will use.
	// +required
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="protocol is immutable"
	Protocol Protocol `json:"protocol"`

	// serviceAccountName is the ServiceAccount of the application's Pods, in the same namespace. It
	// is required for a class with authenticationType ServiceAccount, and ignored for Key.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="serviceAccountName is immutable"
	ServiceAccountName string `json:"serviceAccountName,omitempty"`
}

// The KEP calls the next type BucketClaimReference, like another one.

// BucketClaimAccess is the requested access to one BucketClaim.
type BucketClaimAccess struct {
	// bucketClaimName is the BucketClaim to access.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="!format.dns1123Subdomain().validate(self).hasValue()",message="bucketClaimName must be a valid object name: lower-case letters, digits, '-' and '.', at most 253 characters"
	BucketClaimName string `json:"bucketClaimName"`

	// accessModes are the required permissions, at least one. An omitted category is not required,
	// and the driver may grant it or not.
	// +required
	AccessModes BucketAccessModes `json:"accessModes"`

	// accessSecretName is the Secret that COSI creates, fills, and deletes together with the
	// BucketAccess. It must not exist yet.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="!format.dns1123Subdomain().validate(self).hasValue()",message="accessSecretName must be a valid object name: lower-case letters, digits, '-' and '.', at most 253 characters"
	AccessSecretName string `json:"accessSecretName"`
}

// BucketAccessModes are the required permissions, by category.
//
// +kubebuilder:validation:MinProperties=1
type BucketAccessModes struct {
	// objectData is the permission on the objects of the bucket.
	// +optional
	ObjectData BucketAccessMode `json:"objectData,omitempty"`

	// objectMetadata is the permission on the metadata of objects.
	// +optional
	ObjectMetadata BucketAccessMode `json:"objectMetadata,omitempty"`

	// bucketMetadata is the permission on the metadata of the bucket itself.
	// +optional
	BucketMetadata BucketAccessMode `json:"bucketMetadata,omitempty"`
}

// BucketAccessStatus is the state of a BucketAccess.
//
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.accountID) || has(self.accountID)",message="accountID cannot be removed once it is set"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.accessedBuckets) || has(self.accessedBuckets)",message="accessedBuckets cannot be removed once they are set"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.driverName) || has(self.driverName)",message="driverName cannot be removed once it is set"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.authenticationType) || has(self.authenticationType)",message="authenticationType cannot be removed once it is set"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.parameters) || has(self.parameters)",message="parameters cannot be removed once they are set"
type BucketAccessStatus struct {
	// readyToUse is true while the access is granted and not being deleted.
	// +required
	ReadyToUse bool `json:"readyToUse"`

	// accountID is the unique ID of the access in the backend.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:Pattern=`^[a-zA-Z0-9/._-]+$`
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="accountID is immutable once it is set"
	AccountID string `json:"accountID,omitempty"`

	// accessedBuckets are the Buckets of the access.
	// +optional
	// +listType=map
	// +listMapKey=bucketName
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=128
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="accessedBuckets are immutable once they are set"
	AccessedBuckets []AccessedBucket `json:"accessedBuckets,omitempty"`

	// driverName is copied from the BucketAccessClass, so that the access can be served and deleted
	// after the class has changed or is deleted.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-zA-Z0-9]([a-zA-Z0-9\-\.]{0,61}[a-zA-Z0-9])?$`
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="driverName is immutable once it is set"
	DriverName string `json:"driverName,omitempty"`

	// authenticationType is copied from the BucketAccessClass, see driverName.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="authenticationType is immutable once it is set"
	AuthenticationType AuthenticationType `json:"authenticationType,omitempty"`

	// parameters are copied from the BucketAccessClass, see driverName.
	// +optional
	// +kubebuilder:validation:MinProperties=1
	// +kubebuilder:validation:MaxProperties=512
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="parameters are immutable once they are set"
	Parameters map[string]string `json:"parameters,omitempty"`

	// conditions are Provisioned, ResourcesValidated and ProvisionFailed.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// AccessedBucket is a Bucket of a BucketAccess.
type AccessedBucket struct {
	// bucketName is the name of the Bucket object.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="!format.dns1123Subdomain().validate(self).hasValue()",message="bucketName must be a valid object name: lower-case letters, digits, '-' and '.', at most 253 characters"
	BucketName string `json:"bucketName"`

	// bucketID is the unique ID of the bucket in the backend.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:Pattern=`^[a-zA-Z0-9/._-]+$`
	BucketID string `json:"bucketID"`

	// bucketClaimName is the entry of spec.bucketClaims that the Bucket
	// corresponds to.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="!format.dns1123Subdomain().validate(self).hasValue()",message="bucketClaimName must be a valid object name: lower-case letters, digits, '-' and '.', at most 253 characters"
	BucketClaimName string `json:"bucketClaimName"`
}

// BucketAccessList is a list of BucketAccesses.
//
// +kubebuilder:object:root=true
type BucketAccessList struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []BucketAccess `json:"items"`
}
