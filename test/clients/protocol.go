package main

import (
	"maps"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/signing"
)

// protocol is how clients reach a bucket: a protocol of COSI, or for one of them a second API.
type protocol string

const (
	s3     protocol = "S3"
	gcs    protocol = "GCS"
	xmlAPI protocol = "GCS, XML API"
	azure  protocol = "Azure"
)

// cosi is the protocol in BucketClaims.
func (p protocol) cosi() v1alpha2.Protocol {
	if p == xmlAPI {
		p = gcs
	}
	return v1alpha2.Protocol(p)
}

// header returns the name of a header of the service, for those who sign as the reference does.
func (p protocol) header(name string) string {
	if p == azure {
		return "X-Ms-" + name
	}
	return "X-Amz-" + name
}

// environment are the variables that an access gives a client.
type environment map[string]string

// The names of variables that are read here, not only by clients.
const (
	varBucket = "BUCKET_NAME"
	varSAS    = "AZURE_STORAGE_SAS_TOKEN"
	varCA     = "AWS_CA_BUNDLE"
	// varRetries is how many times the client is to repeat a request; it repeats none without it.
	varRetries = "RETRIES"
)

// asS3 returns the environment of clients of S3 that use the XML API of GCS with the HMAC key,
// following Google's documentation.
func (e environment) asS3() environment {
	changed := maps.Clone(e)
	maps.Copy(changed, environment{
		"AWS_ENDPOINT_URL": e["COSI_GCS_ENDPOINT"], "AWS_ACCESS_KEY_ID": e["HMAC_ACCESS_ID"], "AWS_SECRET_ACCESS_KEY": e["HMAC_SECRET"],
		"AWS_REGION": signing.GoogleRegion, "AWS_DEFAULT_REGION": signing.GoogleRegion, "AWS_S3_ADDRESSING_STYLE": "path",
		"AWS_REQUEST_CHECKSUM_CALCULATION": "when_required", "AWS_RESPONSE_CHECKSUM_VALIDATION": "when_required",
	})
	return changed
}
