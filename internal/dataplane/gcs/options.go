package gcs

import (
	"net/http"
	"time"

	"github.com/go-logr/logr"

	"github.com/cosi-emu/cosi-emu/internal/store"
)

const (
	defaultMaxBodyBytes  = 1 << 30
	defaultUploadTimeout = time.Hour
	// maxDocumentBytes is the maximum size of a JSON body.
	maxDocumentBytes = 1 << 20
	// maxUploads is the maximum number of unfinished uploads of an account.
	maxUploads = 100
)

// Options configure a service.
type Options struct {
	// Store has the buckets, accounts, grants and objects, and the deadlines for clients; required.
	// Buckets of the service are those with fakedriver.ProtocolGCS.
	Store *store.Store
	// MaxBodyBytes is the maximum size of an object, and so of a request body. Default: 1 GiB.
	MaxBodyBytes int64
	// UploadTimeout is the time for which an unfinished upload is kept without further requests.
	// Default: one hour.
	UploadTimeout time.Duration
	// Now is the clock for the times of objects and for UploadTimeout. Default: time.Now.
	Now func() time.Time
	// Middleware wraps the whole handler, if it is set.
	Middleware func(http.Handler) http.Handler
	Logger     logr.Logger
}

func (o Options) withDefaults() Options {
	if o.MaxBodyBytes <= 0 {
		o.MaxBodyBytes = defaultMaxBodyBytes
	}
	if o.UploadTimeout <= 0 {
		o.UploadTimeout = defaultUploadTimeout
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logger.GetSink() == nil {
		o.Logger = logr.Discard()
	}
	return o
}
