package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// BucketClaim requests a bucket: a new one of a BucketClass, or one that an administrator has
// declared as a Bucket.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced
// +kubebuilder:metadata:annotations="api-approved.kubernetes.io=https://github.com/kubernetes/enhancements/tree/master/keps/sig-storage/1979-object-storage-support"
type BucketClaim struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec describes the requested bucket.
	// +optional
	Spec BucketClaimSpec `json:"spec,omitempty"`
	// status is the state of the claim.
	// +optional
	Status BucketClaimStatus `json:"status,omitempty"`
}

// BucketClaimSpec describes the requested bucket.
type BucketClaimSpec struct {
	// bucketClassName is the BucketClass of a new bucket.
	// +optional
	BucketClassName string `json:"bucketClassName,omitempty"`
	// protocols that the bucket must support.
	Protocols []Protocol `json:"protocols"`
	// existingBucketName is the name of a Bucket object that an administrator has created for a
	// bucket that exists already.
	// +optional
	ExistingBucketName string `json:"existingBucketName,omitempty"`
}

// BucketClaimStatus is the state of a BucketClaim.
type BucketClaimStatus struct {
	// bucketReady is true once the bucket exists and BucketAccesses can use it.
	BucketReady bool `json:"bucketReady"`
	// bucketName is the name of the Bucket that the claim is bound to.
	// +optional
	BucketName string `json:"bucketName,omitempty"`
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
