package s3exchange

import (
	"net/http"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

// Dialect has the differences of another service whose protocol is otherwise S3's.
type Dialect struct {
	// Protocol is the protocol of the buckets. Other buckets cannot be accessed.
	Protocol fakedriver.Protocol
	// Chunked is set for a service that accepts objects without a Content-Length, in chunks of
	// HTTP.
	Chunked bool
	// Conditions adds the conditions in headers that S3 does not have.
	Conditions func(http.Header, *objects.Conditions) error
	// Attributes completes the object's attributes from the headers of an upload.
	Attributes func(http.Header, *objects.Attributes) error
	// Finish completes an object before it is stored.
	Finish func(*objects.Draft) error
	// Compose returns the content of the object that a document composes of others in its bucket,
	// which S3 does not support.
	Compose func(*Exchange, *objects.Bucket) (Content, error)
	// Describe sets the headers that identify a version.
	Describe func(http.Header, *objects.Version)
	// AppendListed appends elements that S3 does not have to a version in lists.
	AppendListed func([]byte, *objects.Version) []byte
}

// Protocol returns the protocol of the buckets that a request can access.
func (x *Exchange) Protocol() fakedriver.Protocol {
	if x.Dialect != nil {
		return x.Dialect.Protocol
	}
	return fakedriver.ProtocolS3
}

// AppendListed appends the elements that only another service has.
func (x *Exchange) AppendListed(to []byte, v *objects.Version) []byte {
	if x.Dialect == nil {
		return to
	}
	return x.Dialect.AppendListed(to, v)
}

// Finish completes an object before it is stored.
func (x *Exchange) Finish(d *objects.Draft) error {
	if x.Dialect == nil {
		return nil
	}
	return x.Dialect.Finish(d)
}
