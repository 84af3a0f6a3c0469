package fakedriver

import (
	"cmp"

	cosi "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// bucketInfo is how clients find a bucket, by its protocol.
func (d *Driver) bucketInfo(b Bucket) *cosi.ObjectProtocolAndBucketInfo {
	switch b.Protocol {
	case ProtocolGCS:
		return &cosi.ObjectProtocolAndBucketInfo{Gcs: gcsBucketInfo(b)}
	case ProtocolAzure:
		return &cosi.ObjectProtocolAndBucketInfo{Azure: azureBucketInfo(b)}
	default:
		return &cosi.ObjectProtocolAndBucketInfo{S3: d.s3BucketInfo(b)}
	}
}

// s3BucketInfo is how S3 clients find a bucket. The addressing style is not the
// store's business, which answers to both, and so is read from the parameters.
func (d *Driver) s3BucketInfo(b Bucket) *cosi.S3BucketInfo {
	style, endpoint := cosi.S3AddressingStyle_PATH, d.options.Endpoint
	if b.Parameters[ParameterAddressingStyle] == AddressingVirtual && d.options.VirtualEndpoint != "" {
		style, endpoint = cosi.S3AddressingStyle_VIRTUAL, d.options.VirtualEndpoint
	}
	return &cosi.S3BucketInfo{
		BucketId:        b.Name,
		Endpoint:        endpoint,
		Region:          cmp.Or(b.Region, d.options.Region),
		AddressingStyle: &cosi.S3AddressingStyle{Style: style},
	}
}
