package secret

import (
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosi "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

func azureBucketFields(info *cosi.AzureBucketInfo) fields {
	return fields{v1alpha2.SecretKeyAzureStorageAccount: required(info.GetStorageAccount())}
}

// azureKeyFields writes the end of the token also when it has none: the KEP has
// that key empty if unset.
func azureKeyFields(credentials *cosi.AzureCredentialInfo) fields {
	return fields{
		v1alpha2.SecretKeyAzureSASToken:        required(credentials.GetAccessToken()),
		v1alpha2.SecretKeyAzureSASTokenExpires: {value: credentials.GetExpiryTimestamp(), keep: true},
	}
}
