package fakedriver

import (
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// GCSProject is the ID of the Google Cloud project of all buckets.
const GCSProject = "cosi-emu"

// gcsProtocol implements objectProtocol.
type gcsProtocol struct{}

func (gcsProtocol) protocol() Protocol { return ProtocolGCS }

func (gcsProtocol) wireType() cosiv1alpha2.ObjectProtocol_Type {
	return cosiv1alpha2.ObjectProtocol_GCS
}

func (gcsProtocol) parameters() []string {
	return []string{
		ParameterIgnoreUnknown, ParameterMaxAccounts, ParameterNonEmptyDeletion, ParameterNote, ParameterQuotaBytes, ParameterQuotaObjects,
		ParameterVersioning,
	}
}

func (gcsProtocol) serviceAccounts() bool { return false }

func (gcsProtocol) checkBuckets([]Grant) error { return nil }

// bucketInfo returns the address of a bucket for clients of Google Cloud Storage. COSI has no
// field for an endpoint there, because GCS has only one.
func (gcsProtocol) bucketInfo(_ *Driver, b Bucket) *cosiv1alpha2.ObjectProtocolAndBucketInfo {
	return &cosiv1alpha2.ObjectProtocolAndBucketInfo{Gcs: &cosiv1alpha2.GcsBucketInfo{ProjectId: GCSProject, BucketName: b.Name}}
}

// credentialInfo returns an HMAC key. The service of package gcs accepts its signatures, and the key
// itself as a token.
func (gcsProtocol) credentialInfo(_ *Driver, _ []Grant, key Credentials) *cosiv1alpha2.CredentialInfo {
	return &cosiv1alpha2.CredentialInfo{
		Gcs: &cosiv1alpha2.GcsCredentialInfo{AccessId: key.AccessKeyID, AccessSecret: key.SecretAccessKey},
	}
}
