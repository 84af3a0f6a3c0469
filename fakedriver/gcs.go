package fakedriver

import (
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// GCSProject is the ID of the Google Cloud project that buckets are said to be in.
const GCSProject = "cosi-emu"

// gcsBucketInfo is how clients of Google Cloud Storage find a bucket. COSI has no
// place for an endpoint there, because there is only one.
func gcsBucketInfo(b Bucket) *cosiv1alpha2.GcsBucketInfo {
	return &cosiv1alpha2.GcsBucketInfo{ProjectId: GCSProject, BucketName: b.Name}
}

// gcsCredentials are an HMAC key. The service of package gcs takes its signatures, and the key
// itself as a token.
func gcsCredentials(key Credentials) *cosiv1alpha2.GcsCredentialInfo {
	return &cosiv1alpha2.GcsCredentialInfo{AccessId: key.AccessKeyID, AccessSecret: key.SecretAccessKey}
}
