package s3

import (
	"cmp"
	"context"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/cors"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/pipeline"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/answers"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/authentication"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3exchange"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/sts"
	"github.com/cosi-emu/cosi-emu/internal/store/administration"
	"github.com/cosi-emu/cosi-emu/internal/store/authorization"
	"github.com/cosi-emu/cosi-emu/internal/store/blobstore"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

// Options configure a service. All are required, except CORSOrigins, WebIdentity, Issued and Dialect.
type Options struct {
	Administrator *administration.Administrator
	Registry      *authorization.Registry
	Contents      *objects.Store
	// Blobs stores the bodies.
	Blobs blobstore.Store
	// Region is the region of buckets without their own.
	Region string
	// Hosts are the bases of virtual-host addresses.
	Hosts []string
	// MaxBodyBytes is the maximum size of a request body.
	MaxBodyBytes int64
	// CORSOrigins are the origins whose pages may use buckets without rules of their own.
	CORSOrigins []string
	// WebIdentity finds the account for a token; see package sts.
	WebIdentity func(ctx context.Context, token, role string) (accountID string, err error)
	// Issued is called with each session of STS before its key is sent.
	Issued func(*authorization.Session)
	// Dialect is the protocol of another service. Default: S3.
	Dialect *s3exchange.Dialect
	Rand    io.Reader
	Now     func() time.Time
	Logger  logr.Logger
}

// Service serves S3, and one operation of STS.
type Service struct {
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
	bases, err := parseHosts(options.Hosts)
	if err != nil {
		return nil, err
	}
	s := &Service{
		options: options, hosts: bases, cors: cors.Development(options.CORSOrigins),
		authenticator: authentication.New(options.Registry, options.Now),
		answers: answers.New(answers.Options{
			Administrator: options.Administrator, Registry: options.Registry, Contents: options.Contents,
			Region: options.Region, Logger: options.Logger,
		}),
		sts: sts.New(sts.Options{
			Registry: options.Registry, IsClosed: options.Administrator.IsClosed, WebIdentity: options.WebIdentity, Issued: options.Issued,
			Rand: options.Rand, Now: options.Now, Logger: options.Logger,
		}),
	}
	s.dialect = cmp.Or(options.Dialect, noDifferences(s.authenticator))
	s.requests, s.preflights = s.newProtocols()
	return s, nil
}

var _ http.Handler = (*Service)(nil)
