package fakedriver

// Protocol is how the objects of a bucket are reached.
type Protocol string

// The protocols. Buckets of all of them have names, owners and accounts here, but
// only those of S3 have their objects here, too. S3 is the zero value, so that
// records from before there were others are of S3.
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
