package answers

import (
	"net/http"
	"net/url"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3op"
	"github.com/cosi-emu/cosi-emu/internal/store/authorization"
	"github.com/cosi-emu/cosi-emu/internal/store/checksum"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

// Request is a request of S3 whose sender, operation and permission have been
// checked, and whose body has been read.
type Request struct {
	W http.ResponseWriter
	R *http.Request
	// ID is in the answer and in the log.
	ID string

	Query     url.Values
	Caller    *authorization.Caller
	Operation s3op.Operation
	Bucket    string
	Key       string
	// UID is that of the bucket; empty if the request concerns none, or one that
	// may not exist.
	UID string
	// MayReadObjects is whether the caller may learn the ETags of objects.
	MayReadObjects bool
	// MayBypassGovernance is whether the caller may delete objects that are retained in the
	// mode GOVERNANCE, and change their retention.
	MayBypassGovernance bool
	// Source is what CopyObject and UploadPartCopy read.
	Source Source
	// Body is a document.
	Body []byte
	// Content is that of an object or a part.
	Content Content

	// Success is how PostObject is answered.
	Success Success

	// Dialect is nil for S3.
	Dialect *Dialect

	releases []func() // of what is held for the request
}

// Source is the object that a request copies.
type Source struct {
	Bucket, Key string
	// Version is empty for the newest.
	Version string
	// UID is that of the bucket.
	UID string
}

// Content is what a client has uploaded: received whole and verified, but not yet
// part of an object.
type Content struct {
	Body     objects.Body
	ETag     objects.ETag
	Checksum checksum.Sum
}

// Success is what a browser gets when a form has been uploaded.
type Success struct {
	// Status is 200, 201 with a document, or 204.
	Status int
	// Redirect is where the browser is sent instead; nil for none.
	Redirect *url.URL
}

// MaxKeyBytes bounds the key of an object.
const MaxKeyBytes = 1024

// Hold has something released with Release.
func (r *Request) Hold(release func()) { r.releases = append(r.releases, release) }

// Release releases what has been held for the request. It is called when the
// request has been answered.
func (r *Request) Release() {
	for _, release := range r.releases {
		release()
	}
}

// exchange is a request on its way to its answer.
type exchange struct {
	*Request

	now        func() time.Time   // the store's clock
	contents   *objects.Bucket    // of the bucket
	conditions objects.Conditions // of the conditional headers
	version    *objects.Version   // that has been read or written
	byteRange  string             // of the version, as in the header Range; empty: all of it
	sent       checksum.Sum       // of the bytes that are sent; zero: unknown
	failure    error              // of what gofakes3 called
}
