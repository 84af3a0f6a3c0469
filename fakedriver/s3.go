package fakedriver

import (
	"cmp"

	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// s3Protocol implements objectProtocol.
type s3Protocol struct{}

func (s3Protocol) protocol() Protocol { return ProtocolS3 }

func (s3Protocol) wireType() cosiv1alpha2.ObjectProtocol_Type { return cosiv1alpha2.ObjectProtocol_S3 }

// parameters are all parameters of BucketClasses.
func (s3Protocol) parameters() []string { return names(bucketParameters) }

func (s3Protocol) serviceAccounts() bool { return true }

func (s3Protocol) checkBuckets([]Grant) error { return nil }

// bucketInfo returns the address of a bucket for S3 clients. The addressing style is a parameter,
// because the store accepts both.
func (s3Protocol) bucketInfo(d *Driver, b Bucket) *cosiv1alpha2.ObjectProtocolAndBucketInfo {
	style, endpoint := cosiv1alpha2.S3AddressingStyle_PATH, d.options.Endpoint
	if b.Parameters[ParameterAddressingStyle] == AddressingVirtual && d.options.VirtualEndpoint != "" {
		style, endpoint = cosiv1alpha2.S3AddressingStyle_VIRTUAL, d.options.VirtualEndpoint
	}
	return &cosiv1alpha2.ObjectProtocolAndBucketInfo{S3: &cosiv1alpha2.S3BucketInfo{
		BucketId:        b.Name,
		Endpoint:        endpoint,
		Region:          cmp.Or(b.Region, d.options.Region),
		AddressingStyle: &cosiv1alpha2.S3AddressingStyle{Style: style},
	}}
}

func (s3Protocol) credentialInfo(_ *Driver, _ []Grant, key Credentials) *cosiv1alpha2.CredentialInfo {
	return &cosiv1alpha2.CredentialInfo{
		S3: &cosiv1alpha2.S3CredentialInfo{AccessKeyId: key.AccessKeyID, AccessSecretKey: key.SecretAccessKey},
	}
}
