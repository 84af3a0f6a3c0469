package store

import (
	"context"
	"crypto/rand"
	"io"
	"net/http"
	"time"

	"github.com/go-logr/logr"
)

// DefaultRegion is a region that every SDK knows. It is not us-east-1, for which
// some clients still presign with Signature Version 2.
const DefaultRegion = "eu-central-1"

const (
	defaultMaxBodyBytes = 1 << 30
	defaultBodyTimeout  = time.Minute
	// maxDocumentBytes bounds XML bodies; that of a full DeleteObjects has at
	// most 1000 keys of 1024 bytes.
	maxDocumentBytes = 4 << 20
)

// Options say how a store is built. The zero value is a store in memory.
type Options struct {
	// Region is the only one that signatures are accepted for. Default:
	// DefaultRegion.
	Region string
	// Hosts are the bases of virtual-host addresses: a request to the host
	// BUCKET.BASE, with or without port, is about that bucket, as one to any
	// other host is about the bucket that begins its path. Default: DefaultHost.
	Hosts []string
	// Dir is the directory that keeps buckets, objects and accounts; it is
	// created if it is missing. Empty: everything is in memory, and gone after
	// Close.
	Dir string
	// MaxBodyBytes bounds the body of one request, and so an object that is
	// uploaded in one piece, or one part of an upload. A larger one is refused
	// with EntityTooLarge before it is read. Default: 1 GiB.
	MaxBodyBytes int64
	// MaxAccounts is how many accounts there may be at a time, those of
	// administrators not counted. Default: any number.
	MaxAccounts int
	// BodyTimeout is how long the body of a request, or of an answer, may make
	// no progress. Default: one minute.
	BodyTimeout time.Duration
	// WebIdentity finds the account that the bearer of a token may become, by
	// AssumeRoleWithWebIdentity of STS. role is the last element of the RoleArn's
	// path, and chooses among several. The account must be one with a
	// ServiceAccount; any other is refused. Errors are of kind ErrIdentity if the
	// token is not a good one, ErrExpired if it is no longer, ErrNotExist if it has
	// no such role; of any other kind if they could not be looked up. They are
	// logged, and must not hold the token. The context ends after ten seconds.
	// Default: no token is accepted.
	WebIdentity func(ctx context.Context, token, role string) (accountID string, err error)
	// Middleware is put around the whole handler, if it is set.
	Middleware func(http.Handler) http.Handler
	// Rand is where secret access keys come from. Default: crypto/rand.
	Rand io.Reader
	// Now is the clock that request times and expiries are checked against, and
	// that objects are dated by. The signature library compares them with the
	// system's clock, too, so a clock that is behind the system's makes the
	// store refuse requests early. Default: time.Now.
	Now func() time.Time
	// Logger is told of requests at verbosity 1, and of what went wrong inside.
	// Default: nothing is logged.
	Logger logr.Logger
}

func (o Options) withDefaults() Options {
	if o.Region == "" {
		o.Region = DefaultRegion
	}
	if o.Hosts == nil {
		o.Hosts = []string{DefaultHost}
	}
	if o.MaxBodyBytes <= 0 {
		o.MaxBodyBytes = defaultMaxBodyBytes
	}
	if o.BodyTimeout <= 0 {
		o.BodyTimeout = defaultBodyTimeout
	}
	if o.Rand == nil {
		o.Rand = rand.Reader
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logger.GetSink() == nil {
		o.Logger = logr.Discard()
	}
	return o
}
