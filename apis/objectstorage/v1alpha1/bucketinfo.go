package v1alpha1

import (
	"encoding/json"
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ErrBucketInfo is the error of a value that is no BucketInfo.
var ErrBucketInfo = errors.New("not a BucketInfo")

// ParseBucketInfo reads the value of BucketInfoKey in an access Secret. The error, which wraps
// ErrBucketInfo, contains nothing of the value, which may be secret.
func ParseBucketInfo(value []byte) (*BucketInfo, error) {
	info := &BucketInfo{}
	if err := json.Unmarshal(value, info); err != nil {
		if at, ok := errors.AsType[*json.SyntaxError](err); ok {
			return nil, fmt.Errorf("%w: no valid JSON at byte %d", ErrBucketInfo, at.Offset)
		}
		if at, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return nil, fmt.Errorf("%w: field %q has a JSON %s", ErrBucketInfo, at.Field, at.Value)
		}
		return nil, fmt.Errorf("%w: no valid JSON", ErrBucketInfo)
	}
	return info, nil
}

// BucketInfo is the JSON value of BucketInfoKey in an application's Secret.
//
// +kubebuilder:object:generate=false
type BucketInfo struct {
	Metadata BucketInfoMetadata `json:"metadata"`
	Spec     BucketInfoSpec     `json:"spec"`
}

// BucketInfoMetadata identifies a BucketInfo.
//
// +kubebuilder:object:generate=false
type BucketInfoMetadata struct {
	// Name is BucketInfoName of the BucketAccess.
	Name string `json:"name"`
	// CreationTimestamp is null: BucketInfo has the form of a Kubernetes object, but is none.
	CreationTimestamp *metav1.Time `json:"creationTimestamp"`
}

// BucketInfoSpec has all values that applications need to use a bucket.
//
// +kubebuilder:object:generate=false
type BucketInfoSpec struct {
	// BucketName is the name of the Bucket object, not the driver's ID of the bucket.
	BucketName string `json:"bucketName"`
	// AuthenticationType is copied from the BucketAccessClass.
	AuthenticationType AuthenticationType `json:"authenticationType"`
	// Protocols has one element, the protocol of the BucketAccess, which may be empty.
	Protocols []Protocol `json:"protocols"`
	// SecretS3 is nil for other protocols.
	SecretS3 *SecretS3 `json:"secretS3"`
	// SecretAzure is nil for other protocols.
	SecretAzure *SecretAzure `json:"secretAzure"`
}

// SecretS3 has the endpoint and the credentials of a bucket in S3.
//
// +kubebuilder:object:generate=false
type SecretS3 struct {
	Endpoint        string `json:"endpoint"`
	Region          string `json:"region"`
	AccessKeyID     string `json:"accessKeyID"`
	AccessSecretKey string `json:"accessSecretKey"`
}

// SecretAzure has the token of a bucket in Azure Blob Storage.
//
// +kubebuilder:object:generate=false
type SecretAzure struct {
	AccessToken string `json:"accessToken"`
	// ExpiryTimeStamp is nil if the token does not expire.
	ExpiryTimeStamp *metav1.Time `json:"expiryTimeStamp"`
}
