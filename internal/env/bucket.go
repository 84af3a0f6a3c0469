package env

import (
	"fmt"
	"net/url"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator/description"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure/sas"
)

// azureRights are all permissions of a container, in the order that Azure requires.
const azureRights = "racwdltf"

// ForBucket returns the variables with which applications use a bucket with the root key, under their names in access
// Secrets. The error is ErrNoStore if the emulator uses another driver.
func ForBucket(info description.Info, bucket fakedriver.BucketSpec) ([]Variable, error) {
	key, err := RootKey(info)
	if err != nil {
		return nil, err
	}
	values := map[string]string{v1alpha2.SecretKeyBucketName: bucket.Name}
	switch bucket.Protocol {
	case fakedriver.ProtocolGCS:
		values[v1alpha2.SecretKeyGCSProjectID] = fakedriver.GCSProject
		values[v1alpha2.SecretKeyGCSHMACAccessID], values[v1alpha2.SecretKeyGCSHMACSecret] = key.AccessKeyID, key.SecretAccessKey
	case fakedriver.ProtocolAzure:
		if values[v1alpha2.SecretKeyAzureSASToken], err = azureToken(info.AzureEndpoint, bucket.Name, key); err != nil {
			return nil, err
		}
		values[v1alpha2.SecretKeyAzureStorageAccount], values[v1alpha2.SecretKeyAzureSASTokenExpires] = sas.Account(bucket.Name), ""
	case fakedriver.ProtocolS3:
		for _, v := range s3Variables(info, key) {
			values[v.Name] = v.Value
		}
		delete(values, regionVariable) // added again
	}
	values[v1alpha2.SecretKeyProtocol] = bucket.Protocol.String()
	variables := variablesOf(values)
	for i := range variables {
		variables[i].Added = "" // there is no Secret
	}
	return variables, nil
}

// azureToken returns the URI of a container with a signature by the root key.
func azureToken(endpoint, bucket string, key fakedriver.Credentials) (string, error) {
	service, err := url.Parse(endpoint)
	if err != nil || endpoint == "" {
		return "", fmt.Errorf("bucket %s is for Azure, which this emulator does not serve", bucket)
	}
	protocols := "https"
	if service.Scheme == "http" {
		protocols = "https,http"
	}
	container := sas.Container(service, bucket)
	container.RawQuery = sas.Token(bucket, key.AccessKeyID, key.SecretAccessKey, azureRights, protocols).Encode()
	return container.String(), nil
}
