package secret

import (
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

func gcsBucketFields(info *cosiv1alpha2.GcsBucketInfo) fields {
	return fields{
		v1alpha2.SecretKeyGCSProjectID: required(info.GetProjectId()),
		v1alpha2.SecretKeyBucketName:   required(info.GetBucketName()),
	}
}

func gcsKeyFields(credentials *cosiv1alpha2.GcsCredentialInfo) fields {
	return fields{
		v1alpha2.SecretKeyGCSHMACAccessID: required(credentials.GetAccessId()),
		v1alpha2.SecretKeyGCSHMACSecret:   required(credentials.GetAccessSecret()),
	}
}

func gcsServiceAccountFields(credentials *cosiv1alpha2.GcsCredentialInfo) fields {
	return fields{
		v1alpha2.SecretKeyGCSPrivateKeyID:   required(credentials.GetPrivateKeyName()),
		v1alpha2.SecretKeyGCSServiceAccount: required(credentials.GetServiceAccount()),
	}
}
