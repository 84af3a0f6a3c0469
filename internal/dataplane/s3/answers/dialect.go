package answers

import (
	"net/http"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

// Dialect is what the answers of another service have of their own, whose protocol is S3's
// otherwise.
type Dialect struct {
	// Protocol is that of the buckets. Those of other protocols cannot be reached.
	Protocol fakedriver.Protocol
	// Chunked is set for a service that takes objects without a Content-Length, in chunks of HTTP.
	Chunked bool
	// Conditions adds the conditions in headers that S3 does not have.
	Conditions func(http.Header, *objects.Conditions) error
	// Attributes completes what the headers of an upload say about the object.
	Attributes func(http.Header, *objects.Attributes) error
	// Finish completes an object before it is stored.
	Finish func(*objects.Draft) error
	// Compose returns the content of the object that a document makes of others in its bucket. S3
	// has nothing like it.
	Compose func(*Request, *objects.Bucket) (Content, error)
	// Describe sets the headers that identify a version.
	Describe func(http.Header, *objects.Version)
	// AppendListed appends the elements of a version in lists that S3 does not have.
	AppendListed func([]byte, *objects.Version) []byte
}

// Protocol is that of the buckets that a request can reach.
func (r *Request) Protocol() fakedriver.Protocol {
	if r.Dialect != nil {
		return r.Dialect.Protocol
	}
	return fakedriver.ProtocolS3
}

// appendListed appends the elements that only another service has.
func (x *exchange) appendListed(to []byte, v *objects.Version) []byte {
	if x.Dialect == nil {
		return to
	}
	return x.Dialect.AppendListed(to, v)
}

// composeObject answers ComposeObject, which is an operation of other services only.
func (a *Answers) composeObject(x *exchange) (err error) {
	if x.Content, err = x.Dialect.Compose(x.Request, x.contents); err != nil {
		return err
	}
	return a.putObject(x)
}

// finish completes an object before it is stored.
func (x *exchange) finish(d *objects.Draft) error {
	if x.Dialect == nil {
		return nil
	}
	return x.Dialect.Finish(d)
}
