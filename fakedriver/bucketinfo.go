package fakedriver

import (
	"cmp"

	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

func (d *Driver) bucketInfo(b Bucket) *cosiv1alpha2.ObjectProtocolAndBucketInfo {
	switch b.Protocol {
	case ProtocolGCS:
		return &cosiv1alpha2.ObjectProtocolAndBucketInfo{Gcs: gcsBucketInfo(b)}
	case ProtocolAzure:
		return &cosiv1alpha2.ObjectProtocolAndBucketInfo{Azure: azureBucketInfo(b)}
	default:
		return &cosiv1alpha2.ObjectProtocolAndBucketInfo{S3: d.s3BucketInfo(b)}
	}
}

// s3BucketInfo returns the address of a bucket for S3 clients. The addressing style is a parameter,
// because the store accepts both.
func (d *Driver) s3BucketInfo(b Bucket) *cosiv1alpha2.S3BucketInfo {
	style, endpoint := cosiv1alpha2.S3AddressingStyle_PATH, d.options.Endpoint
	if b.Parameters[ParameterAddressingStyle] == AddressingVirtual && d.options.VirtualEndpoint != "" {
		style, endpoint = cosiv1alpha2.S3AddressingStyle_VIRTUAL, d.options.VirtualEndpoint
	}
	return &cosiv1alpha2.S3BucketInfo{
		BucketId:        b.Name,
		Endpoint:        endpoint,
		Region:          cmp.Or(b.Region, d.options.Region),
		AddressingStyle: &cosiv1alpha2.S3AddressingStyle{Style: style},
	}
}
