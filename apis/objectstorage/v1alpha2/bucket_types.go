package v1alpha2

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Bucket represents a bucket in an object storage backend. The COSI controller creates one for each
// BucketClaim that names a BucketClass; an administrator creates one by hand to import an existing
// bucket.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,shortName=bkt,categories=cosi
// +kubebuilder:metadata:annotations="api-approved.kubernetes.io=unapproved, experimental v1alpha2 changes"
// +kubebuilder:printcolumn:name="Driver",type=string,JSONPath=`.spec.driverName`
// +kubebuilder:printcolumn:name="Policy",type=string,JSONPath=`.spec.deletionPolicy`
// +kubebuilder:printcolumn:name="Claim-Namespace",type=string,JSONPath=`.spec.bucketClaimRef.namespace`
// +kubebuilder:printcolumn:name="Claim",type=string,JSONPath=`.spec.bucketClaimRef.name`
// +kubebuilder:printcolumn:name="Provisioned",type=string,JSONPath=`.status.conditions[?(@.type=="Provisioned")].status`
// +kubebuilder:printcolumn:name="Bucket-ID",type=string,priority=1,JSONPath=`.status.bucketID`
// +kubebuilder:printcolumn:name="Protocols",type=string,priority=1,JSONPath=`.status.protocols`
// +kubebuilder:printcolumn:name="Reason",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Provisioned")].reason`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.status) || has(self.status) || !(has(oldSelf.status.bucketID) || has(oldSelf.status.protocols))",message="status cannot be removed once bucketID or protocols are set",fieldPath=".status"
type Bucket struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec identifies the bucket and its driver.
	// +required
	Spec BucketSpec `json:"spec"`

	// status is the state of the bucket as COSI knows it.
	// +optional
	Status BucketStatus `json:"status,omitzero"`
}

// BucketSpec identifies the bucket and its driver. All fields except deletionPolicy are fixed at
// creation.
//
// +kubebuilder:validation:XValidation:rule="has(oldSelf.parameters) == has(self.parameters)",message="parameters cannot be added or removed after creation"
// +kubebuilder:validation:XValidation:rule="has(oldSelf.protocols) == has(self.protocols)",message="protocols cannot be added or removed after creation"
// +kubebuilder:validation:XValidation:rule="has(oldSelf.existingBucketID) == has(self.existingBucketID)",message="existingBucketID cannot be added or removed after creation"
type BucketSpec struct {
	// driverName is the name of the driver that serves this bucket.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-zA-Z0-9]([a-zA-Z0-9\-\.]{0,61}[a-zA-Z0-9])?$`
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="driverName is immutable"
	DriverName string `json:"driverName"`

	// deletionPolicy decides what happens when the BucketClaim bound to this Bucket is deleted.
	// Retain keeps this object and the backend bucket; Delete deletes both. It may be changed at
	// any time.
	// +required
	DeletionPolicy DeletionPolicy `json:"deletionPolicy"`

	// protocols lists the protocols that the bucket must support. COSI checks that the driver
	// supports each of them.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=3
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="protocols are immutable"
	Protocols []Protocol `json:"protocols,omitempty"`

	// parameters are passed to the driver unchanged. For a dynamically provisioned Bucket they are
	// copied from the BucketClass.
	// +optional
	// +kubebuilder:validation:MinProperties=1
	// +kubebuilder:validation:MaxProperties=512
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="parameters are immutable"
	Parameters map[string]string `json:"parameters,omitempty"`

	// bucketClaimRef names the BucketClaim that this Bucket belongs to. For a bucket that already
	// exists, set the namespace and name of the BucketClaim that may bind to it; COSI adds the uid
	// when it has bound.
	// +required
	BucketClaimRef BucketClaimReference `json:"bucketClaimRef"`

	// existingBucketID is the backend's ID of an existing bucket that is imported into COSI. It
	// stays empty for dynamically provisioned buckets.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:Pattern=`^[a-zA-Z0-9/._-]+$`
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="existingBucketID is immutable"
	ExistingBucketID string `json:"existingBucketID,omitempty"`
}

// BucketClaimReference identifies a BucketClaim.
//
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.uid) || has(self.uid)",message="uid cannot be removed once it is set"
type BucketClaimReference struct {
	// name of the BucketClaim.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="!format.dns1123Subdomain().validate(self).hasValue()",message="name must be a valid object name: lower-case letters, digits, '-' and '.', at most 253 characters"
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="name is immutable"
	Name string `json:"name"`

	// namespace of the BucketClaim.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="!format.dns1123Label().validate(self).hasValue()",message="namespace must be a valid namespace name: lower-case letters, digits and '-', at most 63 characters"
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="namespace is immutable"
	Namespace string `json:"namespace"`

	// uid of the BucketClaim. COSI sets it when the Bucket is bound.
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MinLength=36
	// +kubebuilder:validation:MaxLength=36
	// +kubebuilder:validation:Pattern=`^[0-9a-f]{8}-([0-9a-f]{4}\-){3}[0-9a-f]{12}$`
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="uid is immutable once it is set"
	UID types.UID `json:"uid,omitempty"`
}

// BucketStatus is the state of a bucket as COSI knows it.
//
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.bucketID) || has(self.bucketID)",message="bucketID cannot be removed once it is set"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.protocols) || has(self.protocols)",message="protocols cannot be removed once they are set"
type BucketStatus struct {
	// readyToUse is true while the bucket is provisioned and not being deleted.
	// +required
	ReadyToUse bool `json:"readyToUse"`

	// bucketID is the unique ID of the bucket in the backend.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:Pattern=`^[a-zA-Z0-9/._-]+$`
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="bucketID is immutable once it is set"
	BucketID string `json:"bucketID,omitempty"`

	// protocols that the provisioned bucket supports.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=3
	Protocols []Protocol `json:"protocols,omitempty"`

	// bucketInfo describes the bucket for clients, as the driver returned it, with the keys of the
	// access Secret (AWS_ENDPOINT_URL, BUCKET_NAME, ...). It contains no secrets.
	// +optional
	// +kubebuilder:validation:MinProperties=1
	// +kubebuilder:validation:MaxProperties=128
	BucketInfo map[string]string `json:"bucketInfo,omitempty"`

	// conditions are Provisioned, ResourcesValidated and ProvisionFailed.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// BucketList is a list of Buckets.
//
// +kubebuilder:object:root=true
type BucketList struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Bucket `json:"items"`
}
