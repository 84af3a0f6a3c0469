package store

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

// grant returns what an account may do with a bucket by S3; nothing with one of
// another protocol.
func (r *registry) grant(p *principal, bucket string) (grant Grant, granted, exists bool) {
	return r.grantBy(ProtocolS3, p, bucket)
}
