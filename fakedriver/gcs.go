package fakedriver

import (
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// GCSProject is the ID of the Google Cloud project of all buckets.
const GCSProject = "cosi-emu"

// gcsBucketInfo returns the address of a bucket for clients of Google Cloud Storage. COSI has no
// field for an endpoint there, because GCS has only one.
func gcsBucketInfo(b Bucket) *cosiv1alpha2.GcsBucketInfo {
	return &cosiv1alpha2.GcsBucketInfo{ProjectId: GCSProject, BucketName: b.Name}
}

// gcsCredentials are an HMAC key. The service of package gcs accepts its signatures, and the key
// itself as a token.
func gcsCredentials(key Credentials) *cosiv1alpha2.GcsCredentialInfo {
	return &cosiv1alpha2.GcsCredentialInfo{AccessId: key.AccessKeyID, AccessSecret: key.SecretAccessKey}
}
