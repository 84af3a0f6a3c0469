package s3

import (
	"cmp"
	"context"
	"crypto/rand"
	"io"
	"net/http"
	"sync/atomic"

	"github.com/cosi-emu/cosi-emu/internal/cors"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/pipeline"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/answers"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/authentication"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3exchange"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/sts"
	"github.com/cosi-emu/cosi-emu/internal/store/authorization"
)

// Options configure a service.
type Options struct {
	pipeline.Options

	// Hosts are the bases of virtual-host addresses: a request to the host BUCKET.BASE, with or
	// without port, concerns that bucket; one to any other host concerns the bucket at the
	// beginning of its path. Default: DefaultHost.
	Hosts []string
	// CORSOrigins are the origins of pages that browsers allow to use buckets without a CORS
	// configuration of their own, with all methods and headers, if they have a key or a signature:
	// "*", or a list for fakedriver.ValidateCORSOrigins. Default: none.
	CORSOrigins []string
	// WebIdentity finds the account for a token, for AssumeRoleWithWebIdentity of STS. role is the
	// last element of the RoleArn's path, and selects one of several accounts. The account must
	// have a ServiceAccount. Errors are of kind authorization.ErrIdentity if the token is invalid,
	// authorization.ErrExpired if it has expired, fakedriver.ErrNotExist for an unknown role; of
	// any other kind if the lookup failed. They are logged, and must not contain the token. The
	// context ends after ten seconds. Default: every token is rejected.
	WebIdentity func(ctx context.Context, token, role string) (accountID string, err error)
	// Issued is called with each session of STS before its key is sent, if set.
	Issued func(*authorization.Session)
	// Dialect is the protocol of another service. Default: S3.
	Dialect *s3exchange.Dialect
	// Rand is the source of the keys of sessions. Default: crypto/rand.
	Rand io.Reader
}

func (o Options) withDefaults() Options {
	o.Options = o.Options.WithDefaults()
	if o.Hosts == nil {
		o.Hosts = []string{DefaultHost}
	}
	if o.Rand == nil {
		o.Rand = rand.Reader
	}
	return o
}

// Service serves S3, and one operation of STS.
type Service struct {
	*pipeline.Service

	options       Options
	hosts         hosts
	cors          []cors.Rule // of buckets without their own
	authenticator *authentication.Authenticator
	dialect       *s3exchange.Dialect
	answers       *answers.Answers
	sts           *sts.Service
	// requests and preflights are the kinds of requests of S3.
	requests, preflights pipeline.Protocol[*s3exchange.Exchange]
	count                atomic.Uint64 // of all requests
}

// New returns a service. The error is of kind fakedriver.ErrInvalid for an invalid host name.
func New(options Options) (*Service, error) {
	options = options.withDefaults()
	bases, err := parseHosts(options.Hosts)
	if err != nil {
		return nil, err
	}
	s := &Service{
		options: options, hosts: bases, cors: cors.Development(options.CORSOrigins), answers: answers.New(options.Store, options.Logger),
		authenticator: authentication.New(options.Store.Registry(), options.Now),
		sts: sts.New(sts.Options{
			Registry: options.Store.Registry(), IsClosed: options.Store.IsClosed, WebIdentity: options.WebIdentity, Issued: options.Issued,
			Rand: options.Rand, Now: options.Now, Logger: options.Logger,
		}),
	}
	s.dialect = cmp.Or(options.Dialect, noDifferences(s.authenticator))
	s.requests, s.preflights = s.newProtocols()
	s.Service = pipeline.NewService(options.Options, http.HandlerFunc(s.serve))
	return s, nil
}
