package azure

import (
	"net/http"
	"time"

	"github.com/go-logr/logr"

	"github.com/cosi-emu/cosi-emu/internal/store"
)

const (
	defaultMaxBodyBytes = 1 << 30
	// maxDocumentBytes is the maximum size of an XML body: a list of 50,000 blocks.
	maxDocumentBytes = 8 << 20
)

// Options configure a service.
type Options struct {
	// Store has the buckets, accounts, grants and objects, and the deadlines for clients; required.
	// Containers are the buckets with fakedriver.ProtocolAzure.
	Store *store.Store
	// MaxBodyBytes is the maximum size of a request body, and so of a blob in one request, or of a
	// block. Default: 1 GiB.
	MaxBodyBytes int64
	// Now is the clock for the times of blobs and leases. Default: time.Now.
	Now func() time.Time
	// Middleware wraps the whole handler, if it is set.
	Middleware func(http.Handler) http.Handler
	// Logger logs rejected requests at verbosity 1, and internal errors.
	// Default: nothing is logged.
	Logger logr.Logger
}

func (o Options) withDefaults() Options {
	if o.MaxBodyBytes <= 0 {
		o.MaxBodyBytes = defaultMaxBodyBytes
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logger.GetSink() == nil {
		o.Logger = logr.Discard()
	}
	return o
}
