package main

// protocol is how clients reach a bucket: a protocol of COSI, or for one of them a second API.
type protocol string

const (
	s3     protocol = "S3"
	gcs    protocol = "GCS"
	xmlAPI protocol = "GCS, XML API"
	azure  protocol = "Azure"
)

func protocols() []protocol { return []protocol{s3, gcs, xmlAPI, azure} }

func (p protocol) isGoogle() bool { return p == gcs || p == xmlAPI }

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

// headers is the prefix of the service's headers.
func (p protocol) headers() string {
	switch p {
	case azure:
		return "X-Ms-"
	case gcs, xmlAPI:
		return "X-Goog-"
	default:
		return "X-Amz-"
	}
}
