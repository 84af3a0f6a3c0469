package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// BucketClass describes the Buckets that are created for BucketClaims.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster
// +kubebuilder:metadata:annotations="api-approved.kubernetes.io=https://github.com/kubernetes/enhancements/tree/master/keps/sig-storage/1979-object-storage-support"
type BucketClass struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// driverName is the name of the driver that manages the buckets.
	DriverName string `json:"driverName"`
	// deletionPolicy of the Buckets.
	// +kubebuilder:default:=Retain
	DeletionPolicy DeletionPolicy `json:"deletionPolicy"`
	// parameters for the driver.
	// +optional
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

// BucketAccessClass describes how BucketAccesses are granted.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster
// +kubebuilder:metadata:annotations="api-approved.kubernetes.io=https://github.com/kubernetes/enhancements/tree/master/keps/sig-storage/1979-object-storage-support"
type BucketAccessClass struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// driverName is the name of the driver that grants the access.
	DriverName string `json:"driverName"`
	// authenticationType is Key or IAM.
	AuthenticationType AuthenticationType `json:"authenticationType"`
	// parameters for the driver.
	// +optional
	Parameters map[string]string `json:"parameters,omitempty"`
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
