package fakedriver

import (
	"cmp"

	"github.com/cosi-emu/cosi-emu/fakedriver/store"
	cosi "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// bucketInfo is how S3 clients find a bucket. The addressing style is not the
// store's business, which answers to both, and so is read from the parameters.
func (d *Driver) bucketInfo(b store.Bucket) *cosi.ObjectProtocolAndBucketInfo {
	style, endpoint := cosi.S3AddressingStyle_PATH, d.options.Endpoint
	if b.Parameters[ParameterAddressingStyle] == AddressingVirtual && d.options.VirtualEndpoint != "" {
		style, endpoint = cosi.S3AddressingStyle_VIRTUAL, d.options.VirtualEndpoint
	}
	return &cosi.ObjectProtocolAndBucketInfo{S3: &cosi.S3BucketInfo{
		BucketId:        b.Name,
		Endpoint:        endpoint,
		Region:          cmp.Or(b.Region, d.options.Region),
		AddressingStyle: &cosi.S3AddressingStyle{Style: style},
	}}
}
