package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// BucketAccess requests access to the bucket of a BucketClaim.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced
// +kubebuilder:metadata:annotations="api-approved.kubernetes.io=https://github.com/kubernetes/enhancements/tree/master/keps/sig-storage/1979-object-storage-support"
type BucketAccess struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec describes the requested access.
	// +optional
	Spec BucketAccessSpec `json:"spec,omitempty"`
	// status is the state of the access.
	// +optional
	Status BucketAccessStatus `json:"status,omitempty"`
}

// BucketAccessSpec describes the requested access.
type BucketAccessSpec struct {
	// bucketClaimName is the BucketClaim of the bucket, in the same namespace.
	BucketClaimName string `json:"bucketClaimName"`
	// protocol by which the application uses the bucket.
	// +optional
	Protocol Protocol `json:"protocol,omitempty"`
	// bucketAccessClassName is the BucketAccessClass of the access.
	BucketAccessClassName string `json:"bucketAccessClassName"`
	// credentialsSecretName is the name of the Secret, in the same namespace, that the sidecar
	// creates for the application.
	CredentialsSecretName string `json:"credentialsSecretName"`
	// serviceAccountName is the ServiceAccount of the application's Pods, for the
	// authentication type IAM.
	// +optional
	ServiceAccountName string `json:"serviceAccountName,omitempty"`
}

// BucketAccessStatus is the state of a BucketAccess.
type BucketAccessStatus struct {
	// accountID is the driver's ID of the account with the access.
	// +optional
	AccountID string `json:"accountID,omitempty"`
	// accessGranted is true once the Secret can be used.
	// +optional
	AccessGranted bool `json:"accessGranted,omitempty"`
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
