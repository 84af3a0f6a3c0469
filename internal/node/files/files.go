// Package files renders the files of a volume from the access Secrets of its buckets. The files are the same for the
// kinds of all versions, so that an application runs with each of them.
package files

import (
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/secretvalues"
)

// Bucket returns the files of one bucket by their paths: a file for each key of the Secret, in both sets of keys, the
// BucketInfo, and for S3 the files of the AWS tools. The UID belongs to the BucketAccess. Errors contain no secret.
func Bucket(secret *corev1.Secret, access types.UID) (map[string][]byte, error) {
	values, err := secretvalues.Data(secret)
	if err != nil {
		return nil, err
	}
	protocol := v1alpha2.Protocol(values[v1alpha2.SecretKeyProtocol])
	files := map[string][]byte{}
	for key, value := range values {
		files[key] = []byte(value)
	}
	for key, draft := range v1alpha2.DraftSecretKeys(protocol) {
		if value, found := files[key]; found {
			files[draft] = value
		}
	}
	if files[v1alpha1.BucketInfoKey] = secret.Data[v1alpha1.BucketInfoKey]; files[v1alpha1.BucketInfoKey] == nil {
		if files[v1alpha1.BucketInfoKey], err = bucketInfo(values, access); err != nil {
			return nil, err
		}
	}
	if protocol == v1alpha2.ProtocolS3 {
		aws, err := awsFiles(values)
		if err != nil {
			return nil, fmt.Errorf("Secret %s/%s: %w", secret.Namespace, secret.Name, err) //nolint:staticcheck // a kind
		}
		maps.Copy(files, aws)
	}
	return files, nil
}
