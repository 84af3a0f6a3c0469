package fakedriver

// Protocol is the protocol by which clients reach the objects of a bucket.
type Protocol string

// The protocols. S3 is the zero value, because earlier records have no protocol.
const (
	ProtocolS3    Protocol = ""
	ProtocolGCS   Protocol = "GCS"
	ProtocolAzure Protocol = "Azure"
)

func (p Protocol) String() string {
	if p == ProtocolS3 {
		return "S3"
	}
	return string(p)
}
