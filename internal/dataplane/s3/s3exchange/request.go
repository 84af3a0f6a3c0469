package s3exchange

import (
	"net/http"
	"net/url"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3op"
	"github.com/cosi-emu/cosi-emu/internal/store/authorization"
	"github.com/cosi-emu/cosi-emu/internal/store/checksum"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

// Request is a request of S3 whose sender, operation and permission have been checked, and whose
// body has been read.
type Request struct {
	W http.ResponseWriter
	R *http.Request
	// ID is for the response and the log.
	ID string

	Query     url.Values
	Caller    *authorization.Caller
	Operation s3op.Operation
	Bucket    string
	Key       string
	// UID is the bucket's; empty if the request concerns none, or one that may not exist.
	UID string
	// MayReadObjects reports whether the caller may learn the ETags of objects.
	MayReadObjects bool
	// MayBypassGovernance reports whether the caller may delete objects that are retained in the
	// mode GOVERNANCE, and change their retention.
	MayBypassGovernance bool
	// Source is read by CopyObject and UploadPartCopy.
	Source Source
	// Body is a document.
	Body []byte
	// Content is the content of an object or a part.
	Content Content

	// Success describes the response to PostObject.
	Success Success

	// Dialect is nil for S3.
	Dialect *Dialect

	releases []func() // of resources that are held for the request
}

// Source is the object that a request copies.
type Source struct {
	Bucket, Key string
	// Version is empty for the newest.
	Version string
	// UID is the bucket's.
	UID string
}

// Content is a complete, verified upload of a client that is not yet part of an object.
type Content struct {
	Body     objects.Body
	ETag     objects.ETag
	Checksum checksum.Sum
}

// Success is the response to a browser after the upload of a form.
type Success struct {
	// Status is 200, 201 with a document, or 204.
	Status int
	// Redirect is the target of the browser instead; nil for none.
	Redirect *url.URL
}

// MaxKeyBytes is the maximum size of an object's key.
const MaxKeyBytes = 1024

// Hold registers a function for Release.
func (r *Request) Hold(release func()) { r.releases = append(r.releases, release) }

// Release releases the resources of the request after its response.
func (r *Request) Release() {
	for _, release := range r.releases {
		release()
	}
}

// Exchange is a request before its response.
type Exchange struct {
	*Request

	Now        func() time.Time   // the store's clock
	Contents   *objects.Bucket    // the bucket's
	Conditions objects.Conditions // from the conditional headers
	Version    *objects.Version   // the version that was read or written
	ByteRange  string             // of the version, as in the header Range; empty for all
	sent       checksum.Sum       // of the sent bytes; zero if unknown
	Failure    error              // from a call by gofakes3
}
