package store

import (
	"cmp"
	"context"
	"crypto/rand"
	"io"
	"net/http"
	"time"

	"github.com/go-logr/logr"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/s3"
)

const (
	defaultMaxBodyBytes  = 1 << 30
	defaultHeaderTimeout = 10 * time.Second
	defaultIdleTimeout   = 2 * time.Minute
	defaultBodyTimeout   = time.Minute
	defaultMinRate       = 1 << 10
)

// Options configure a store. The zero value is a store in memory.
type Options struct {
	// Region is that of the store, and of the buckets that have none of their own:
	// what signatures must be made for. Default: fakedriver.DefaultRegion.
	Region string
	// Hosts are the bases of virtual-host addresses: a request to the host
	// BUCKET.BASE, with or without port, concerns that bucket; one to any other host
	// concerns the bucket at the beginning of its path. Default: s3.DefaultHost.
	Hosts []string
	// Dir is the directory that keeps buckets, objects and accounts; it is
	// created if it is missing. Empty: everything is in memory, and lost with Close.
	Dir string
	// MaxBodyBytes bounds the body of one request, and so an object that is
	// uploaded in one piece, or one part of an upload. A larger one is rejected
	// with EntityTooLarge before it is read. Default: 1 GiB.
	MaxBodyBytes int64
	// MaxAccounts is how many accounts there may be at a time, those of
	// administrators not counted. Default: any number.
	MaxAccounts int
	// HeaderTimeout is how long the head of a request may take to arrive, counted
	// from the first byte, or from the beginning of the connection for its first
	// request. Default: ten seconds.
	HeaderTimeout time.Duration
	// IdleTimeout is how long a connection may have no request. Default: two
	// minutes.
	IdleTimeout time.Duration
	// BodyTimeout is how long the body of a request, or of an answer, may make
	// no progress. Default: one minute.
	BodyTimeout time.Duration
	// MinRate is how slow a client may be, in bytes per second of a body that it
	// sends or takes, on average and after BodyTimeout. Default: 1024.
	MinRate int64
	// WebIdentity finds the account for a token, for AssumeRoleWithWebIdentity of
	// STS. role is the last element of the RoleArn's path, and selects one of several
	// accounts. The account must have a ServiceAccount. Errors are of kind
	// authorization.ErrIdentity if the token is invalid, authorization.ErrExpired if
	// it has expired, fakedriver.ErrNotExist if there is no such role; of any other
	// kind if the lookup failed. They are logged, and must not contain the token. The
	// context ends after ten seconds. Default: every token is rejected.
	WebIdentity func(ctx context.Context, token, role string) (accountID string, err error)
	// Middleware is put around the whole handler, if it is set.
	Middleware func(http.Handler) http.Handler
	// Rand is where secret access keys come from. Default: crypto/rand.
	Rand io.Reader
	// Now is the clock that request times and expiries are checked against, and
	// that objects are dated by. The signature library compares them with the
	// system's clock, too, so a clock that is behind the system's makes the
	// store reject requests early. Default: time.Now.
	Now func() time.Time
	// Logger logs rejected requests at verbosity 1, and internal errors.
	// Default: nothing is logged.
	Logger logr.Logger
}

func (o Options) withDefaults() Options {
	o.Region = cmp.Or(o.Region, fakedriver.DefaultRegion)
	if o.Hosts == nil {
		o.Hosts = []string{s3.DefaultHost}
	}
	o.MaxBodyBytes = positive(o.MaxBodyBytes, defaultMaxBodyBytes)
	o.HeaderTimeout = positive(o.HeaderTimeout, defaultHeaderTimeout)
	o.IdleTimeout = positive(o.IdleTimeout, defaultIdleTimeout)
	o.BodyTimeout = positive(o.BodyTimeout, defaultBodyTimeout)
	o.MinRate = positive(o.MinRate, defaultMinRate)
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

func positive[T int64 | time.Duration](value, fallback T) T {
	if value <= 0 {
		return fallback
	}
	return value
}
