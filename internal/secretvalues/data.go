package secretvalues

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// Data returns the contents of an access Secret by the keys of the KEP, also if the Secret has only
// the keys of an earlier draft, or the BucketInfo of v1alpha1. The error contains no secret.
func Data(s *corev1.Secret) (map[string]string, error) {
	values := map[string]string{}
	for key, value := range s.Data {
		values[key] = string(value)
	}
	written, ok := s.Data[v1alpha1.BucketInfoKey]
	if !ok {
		addKEPKeys(values)
		return values, nil
	}
	info, err := v1alpha1.ParseBucketInfo(written)
	if err != nil {
		return nil, fmt.Errorf("%s in Secret %s/%s: %w", v1alpha1.BucketInfoKey, s.Namespace, s.Name, err)
	}
	delete(values, v1alpha1.BucketInfoKey)
	values[v1alpha2.SecretKeyBucketName] = info.Spec.BucketName
	if s3 := info.Spec.SecretS3; s3 != nil {
		values[v1alpha2.SecretKeyProtocol] = string(v1alpha2.ProtocolS3)
		values[v1alpha2.SecretKeyS3Endpoint], values[v1alpha2.SecretKeyS3Region] = s3.Endpoint, s3.Region
		values[v1alpha2.SecretKeyS3AddressingStyle] = v1alpha2.S3AddressingStylePath
		values[v1alpha2.SecretKeyS3AccessKeyID], values[v1alpha2.SecretKeyS3SecretAccessKey] = s3.AccessKeyID, s3.AccessSecretKey
	}
	if azure := info.Spec.SecretAzure; azure != nil {
		values[v1alpha2.SecretKeyProtocol] = string(v1alpha2.ProtocolAzure)
		values[v1alpha2.SecretKeyAzureSASToken] = azure.AccessToken
	}
	return values, nil
}

// addKEPKeys adds the keys of the KEP that a Secret of an earlier draft lacks.
func addKEPKeys(values map[string]string) {
	for key, draft := range v1alpha2.DraftSecretKeys(v1alpha2.Protocol(values[v1alpha2.SecretKeyProtocol])) {
		value, hasDraft := values[draft]
		if _, found := values[key]; hasDraft && !found {
			values[key] = value
		}
	}
}
