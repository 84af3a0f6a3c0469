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
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3"
	"github.com/cosi-emu/cosi-emu/internal/store/authorization"
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
	// Region is the region of the store, and of buckets without their own. Signatures must
	// be made for it. Default: fakedriver.DefaultRegion.
	Region string
	// Hosts are the bases of virtual-host addresses: a request to the host BUCKET.BASE, with or
	// without port, concerns that bucket; one to any other host concerns the bucket at the
	// beginning of its path. Default: s3.DefaultHost.
	Hosts []string
	// Dir is the directory that stores buckets, objects and accounts. It is created if missing.
	// Empty: everything is in memory, and lost with Close.
	Dir string
	// MaxBodyBytes is the maximum size of a request body, and so of an object in one request, or of
	// a part. A larger body is rejected with EntityTooLarge before it is read. Default: 1 GiB.
	MaxBodyBytes int64
	// CORSOrigins are the origins of pages that browsers allow to use buckets without a CORS
	// configuration of their own, with all methods and headers, if they have a key or a signature:
	// "*", or a list for fakedriver.ValidateCORSOrigins. Default: none.
	CORSOrigins []string
	// MaxAccounts is the maximum number of accounts, without administrators' ones. Default: no
	// limit.
	MaxAccounts int
	// HeaderTimeout is the time limit for the head of a request, from its first byte; for
	// the first request, from the start of the connection. Default: ten seconds.
	HeaderTimeout time.Duration
	// IdleTimeout limits the time of an idle connection. Default: two minutes.
	IdleTimeout time.Duration
	// BodyTimeout limits the time without progress of a request or response body. Default: one
	// minute.
	BodyTimeout time.Duration
	// MinRate is the minimum average rate of a body in bytes per second, after
	// BodyTimeout. Default: 1024.
	MinRate int64
	// WebIdentity finds the account for a token, for AssumeRoleWithWebIdentity of STS. role is the
	// last element of the RoleArn's path, and selects one of several accounts. The account must
	// have a ServiceAccount. Errors are of kind authorization.ErrIdentity if the token is invalid,
	// authorization.ErrExpired if it has expired, fakedriver.ErrNotExist for an unknown role; of
	// any other kind if the lookup failed. They are logged, and must not contain the token. The
	// context ends after ten seconds. Default: every token is rejected.
	WebIdentity func(ctx context.Context, token, role string) (accountID string, err error)
	// Issued is called with each session of STS before its key is sent, if set.
	Issued func(*authorization.Session)
	// Middleware wraps the whole handler, if set.
	Middleware func(http.Handler) http.Handler
	// Rand is the source of secret access keys. Default: crypto/rand.
	Rand io.Reader
	// Now is the clock for request times, expiry and the times of objects. The signature library
	// uses the system's clock too: if Now is behind it, requests are rejected early. Default:
	// time.Now.
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
