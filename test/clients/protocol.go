package main

import "github.com/aws/aws-sdk-go-v2/aws"

// protocol is how clients reach a bucket: a protocol of COSI, or for one of them a second API.
type protocol string

const (
	s3     protocol = "S3"
	gcs    protocol = "GCS"
	xmlAPI protocol = "GCS, XML API"
	azure  protocol = "Azure"
)

func protocols() []protocol { return []protocol{s3, gcs, xmlAPI, azure} }

// cosi is the protocol in BucketClaims.
func (p protocol) cosi() string {
	if p == xmlAPI {
		return string(gcs)
	}
	return string(p)
}

// base returns the URL of the bucket of an access, in path style.
func (p protocol) base(e environment) string {
	switch p {
	case azure:
		return e[varSAS]
	case gcs, xmlAPI:
		return e["COSI_GCS_ENDPOINT"] + "/" + e[varBucket]
	default:
		return e["AWS_ENDPOINT_URL"] + "/" + e[varBucket]
	}
}

// key returns the key with which requests are signed; those to Azure have the signature of the URL.
func (p protocol) key(e environment) aws.Credentials {
	if p == gcs || p == xmlAPI {
		return aws.Credentials{AccessKeyID: e["HMAC_ACCESS_ID"], SecretAccessKey: e["HMAC_SECRET"]}
	}
	return aws.Credentials{AccessKeyID: e["AWS_ACCESS_KEY_ID"], SecretAccessKey: e["AWS_SECRET_ACCESS_KEY"]}
}

// headers is the prefix of the service's headers, for those who sign as the reference does.
func (p protocol) headers() string {
	if p == azure {
		return "X-Ms-"
	}
	return "X-Amz-"
}
