package fakedriver

// Protocol is how the objects of a bucket are reached.
type Protocol string

// The protocols. S3 is the zero value, so that records from before there were others are
// of S3.
const (
	ProtocolS3    Protocol = ""
	ProtocolGCS   Protocol = "GCS"
	ProtocolAzure Protocol = "Azure"
)

// String implements fmt.Stringer.
func (p Protocol) String() string {
	if p == ProtocolS3 {
		return "S3"
	}
	return string(p)
}
