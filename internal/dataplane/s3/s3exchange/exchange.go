package s3exchange

import (
	"net/url"
	"time"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/pipeline"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/authentication"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/payload"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/postform"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3op"
	"github.com/cosi-emu/cosi-emu/internal/store/checksum"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

// Exchange is one request of S3 on its way through the phases. Each phase adds its results.
type Exchange struct {
	pipeline.Exchange

	// ID is for the response and the log.
	ID string
	// Dialect is the service's.
	Dialect *Dialect
	// Now is the store's clock.
	Now func() time.Time

	// Signature is verified.
	Signature authentication.Signature
	// Form is nil for a request that is no form, and File is its file.
	Form *postform.Form
	File *payload.File
	// Success describes the response to a form.
	Success   Success
	Operation s3op.Operation
	Level     s3op.Level
	Bucket    string
	Key       string
	// UID is the bucket's; empty if the request concerns none, or one that may not exist.
	UID string
	// Missing reports whether the bucket does not exist, and the caller may know it.
	Missing bool
	// Grant is the caller's grant for the bucket.
	Grant fakedriver.Grant
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

	Contents   *objects.Bucket    // the bucket's
	Conditions objects.Conditions // from the conditional headers
	Version    *objects.Version   // the version that was read or written
	ByteRange  string             // of the version, as in the header Range; empty for all
	sent       checksum.Sum       // of the sent bytes; zero if unknown
	Failure    error              // from a call by gofakes3
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
