package s3exchange

import (
	"net/http"
	"net/url"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/authentication"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3op"
	"github.com/cosi-emu/cosi-emu/internal/store/authorization"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

// Dialect has the differences between S3 and another service with its protocol: the XML API of Google
// Cloud Storage. All fields but Operations, Chunked and Compose are required.
type Dialect struct {
	// Authenticate returns the caller and the signature of a request.
	Authenticate func(*http.Request, url.Values) (*authorization.Caller, authentication.Signature, error)
	// Translate returns an authenticated request in S3's form.
	Translate func(*http.Request, url.Values) (*http.Request, url.Values, error)
	// Serves returns an error for an operation of S3 that the service does not have.
	Serves func(operation string) error
	// Operations are operations that S3 does not have.
	Operations []s3op.Operation
	// Protocol is the protocol of the buckets. Other buckets cannot be accessed.
	Protocol fakedriver.Protocol
	// Chunked is set for a service that accepts objects without a Content-Length, in chunks of
	// HTTP.
	Chunked bool
	// DefaultType is the type with which objects without one are served.
	DefaultType string
	// MaxMetadataBytes limits the names and values of an object's user metadata, and MaxHeaderBytes
	// the headers of a request.
	MaxMetadataBytes, MaxHeaderBytes int
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
