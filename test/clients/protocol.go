package main

import "github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"

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
