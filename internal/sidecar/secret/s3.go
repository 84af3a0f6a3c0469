package secret

import (
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

func s3BucketFields(info *cosiv1alpha2.S3BucketInfo) fields {
	return fields{
		v1alpha2.SecretKeyBucketName:        required(info.GetBucketId()),
		v1alpha2.SecretKeyS3Endpoint:        required(info.GetEndpoint()),
		v1alpha2.SecretKeyS3Region:          required(info.GetRegion()),
		v1alpha2.SecretKeyS3AddressingStyle: required(s3AddressingStyle(info.GetAddressingStyle().GetStyle())),
	}
}

// s3AddressingStyle is empty for an unknown style.
func s3AddressingStyle(style cosiv1alpha2.S3AddressingStyle_Style) string {
	switch style {
	case cosiv1alpha2.S3AddressingStyle_PATH:
		return v1alpha2.S3AddressingStylePath
	case cosiv1alpha2.S3AddressingStyle_VIRTUAL:
		return v1alpha2.S3AddressingStyleVirtual
	default:
		return ""
	}
}

func s3KeyFields(credentials *cosiv1alpha2.S3CredentialInfo) fields {
	return fields{
		v1alpha2.SecretKeyS3AccessKeyID:     required(credentials.GetAccessKeyId()),
		v1alpha2.SecretKeyS3SecretAccessKey: required(credentials.GetAccessSecretKey()),
	}
}
