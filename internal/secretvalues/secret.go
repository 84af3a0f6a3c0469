package secretvalues

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// OfSecret returns the values of an access Secret that are secret.
func OfSecret(s *corev1.Secret) []string {
	data, err := Data(s)
	if err != nil {
		data = map[string]string{} // of a BucketInfo that is none
	}
	var values []string
	for _, key := range []string{v1alpha2.SecretKeyS3SecretAccessKey, v1alpha2.SecretKeyAzureSASToken, v1alpha2.SecretKeyGCSHMACSecret} {
		for _, value := range []string{data[key], s.StringData[key]} {
			if value != "" {
				values = append(values, value)
			}
		}
	}
	return values
}
