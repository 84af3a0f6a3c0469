package secret

import (
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

func azureBucketFields(info *cosiv1alpha2.AzureBucketInfo) fields {
	return fields{v1alpha2.SecretKeyAzureStorageAccount: required(info.GetStorageAccount())}
}

// azureKeyFields writes the expiry of the token even if it has none: the KEP requires that key,
// with an empty value.
func azureKeyFields(credentials *cosiv1alpha2.AzureCredentialInfo) fields {
	return fields{
		v1alpha2.SecretKeyAzureSASToken:        required(credentials.GetAccessToken()),
		v1alpha2.SecretKeyAzureSASTokenExpires: {value: credentials.GetExpiryTimestamp(), keep: true},
	}
}
