package gcs

import (
	"cmp"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/pipeline"
)

const (
	defaultUploadTimeout = time.Hour
	// maxDocumentBytes is the maximum size of a JSON body.
	maxDocumentBytes = 1 << 20
	// maxUploads is the maximum number of unfinished uploads of an account.
	maxUploads = 100
)

// Options configure a service. Its buckets are those with fakedriver.ProtocolGCS.
type Options struct {
	pipeline.Options

	// UploadTimeout is the time for which an unfinished upload is kept without further requests.
	// Default: one hour.
	UploadTimeout time.Duration
	// CORSOrigins are the origins of pages that may use the XML API. Default: none.
	CORSOrigins []string
}

func (o Options) withDefaults() Options {
	o.Options = o.Options.WithDefaults()
	o.UploadTimeout = cmp.Or(o.UploadTimeout, defaultUploadTimeout)
	return o
}
