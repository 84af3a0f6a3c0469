package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Bucket is a bucket in a storage backend.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster
// +kubebuilder:metadata:annotations="api-approved.kubernetes.io=https://github.com/kubernetes/enhancements/tree/master/keps/sig-storage/1979-object-storage-support"
type Bucket struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec identifies the bucket.
	// +optional
	Spec BucketSpec `json:"spec,omitempty"`
	// status is the state of the bucket.
	// +optional
	Status BucketStatus `json:"status,omitempty"`
}

// BucketSpec identifies the bucket.
type BucketSpec struct {
	// driverName is the name of the driver that manages the bucket.
	DriverName string `json:"driverName"`
	// bucketClassName is the BucketClass that the Bucket was created from.
	BucketClassName string `json:"bucketClassName"`
	// bucketClaim is the BucketClaim that the Bucket is bound to.
	BucketClaim *corev1.ObjectReference `json:"bucketClaim"`
	// protocols by which applications use the bucket.
	Protocols []Protocol `json:"protocols"`
	// parameters for the driver.
	// +optional
	Parameters map[string]string `json:"parameters,omitempty"`
	// deletionPolicy decides whether the bucket is deleted with this object.
	// +kubebuilder:default:=Retain
	DeletionPolicy DeletionPolicy `json:"deletionPolicy"`
	// existingBucketID is the driver's ID of a bucket that exists already.
	// +optional
	ExistingBucketID string `json:"existingBucketID,omitempty"`
}

// BucketStatus is the state of the bucket.
type BucketStatus struct {
	// bucketReady is true once the bucket exists.
	// +optional
	BucketReady bool `json:"bucketReady,omitempty"`
	// bucketID is the driver's ID of the bucket.
	// +optional
	BucketID string `json:"bucketID,omitempty"`
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
