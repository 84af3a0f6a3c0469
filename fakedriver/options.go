package fakedriver

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"time"

	"github.com/go-logr/logr"
	"google.golang.org/grpc"
)

// DefaultName is the driver's name where none is given.
const DefaultName = "fake.cosi-emu"

const (
	defaultGracePeriod = 5 * time.Second
	maxNameLength      = 63
)

var driverName = regexp.MustCompile(`^[a-z]([a-z0-9-]*[a-z0-9])?(\.[a-z]([a-z0-9-]*[a-z0-9])?)*$`)

// Backend is what the driver needs of the S3 store; *store.Store is one. All
// methods but RotateAccount must be idempotent, and all errors of the kinds of
// package store.
type Backend interface {
	CreateBucket(ctx context.Context, spec BucketSpec) (Bucket, error)
	GetBucket(ctx context.Context, name string) (Bucket, error)
	DeleteBucket(ctx context.Context, owner, name string) error
	PutAccount(ctx context.Context, spec AccountSpec) (Credentials, error)
	RotateAccount(ctx context.Context, owner, id string) (Credentials, error)
	DeleteAccount(ctx context.Context, owner, id string) error
}

// Options say how a driver is built.
type Options struct {
	// Name is the driver's name: a DNS name of at most 63 characters. It owns
	// what the driver creates in the backend. Default: DefaultName.
	Name string
	// Backend is required.
	Backend Backend
	// Protocols are what buckets may be made for, the default first; only those of
	// S3 and GCS are served, see packages store and gcs. Default: S3.
	Protocols []Protocol
	// Endpoint is the URL at which clients find the S3 service; required.
	Endpoint string
	// VirtualEndpoint is the URL whose host has the buckets as subdomains: a
	// bucket is at http://BUCKET.s3.localhost:9000 if it is
	// http://s3.localhost:9000. Empty: the addressing style virtual is refused.
	VirtualEndpoint string
	// ServiceAccounts says that the backend has a way to exchange tokens of
	// ServiceAccounts for credentials; see store.Options.WebIdentity. Otherwise
	// the authentication type ServiceAccount is refused.
	ServiceAccounts bool
	// AccessModes are those that the driver supports; others are refused with
	// InvalidArgument, as those of a driver that cannot do better. Default: all.
	AccessModes []AccessMode
	// SingleBucket has requests refused that ask for several buckets.
	SingleBucket bool
	// Parameters are those of BucketParameters and AccessParameters that buckets and
	// accounts have whose class does not give them; what one cannot have by its
	// protocol or authentication type it goes without. Default: none.
	Parameters map[string]string
	// Region is what clients must sign for. Default: DefaultRegion.
	Region string
	// ServerOptions are passed on to the gRPC server. Interceptors among them
	// run before the driver's own, and see every call and its final outcome.
	ServerOptions []grpc.ServerOption
	// GracePeriod is how long calls may take to end when Serve does. Default: 5
	// seconds.
	GracePeriod time.Duration
	// Logger is told of every call, without secrets, at verbosity 1. Default:
	// nothing is logged.
	Logger logr.Logger
}

func (o Options) withDefaults() Options {
	if o.Name == "" {
		o.Name = DefaultName
	}
	if o.Protocols == nil {
		o.Protocols = []Protocol{ProtocolS3}
	}
	if o.Region == "" {
		o.Region = DefaultRegion
	}
	if o.GracePeriod <= 0 {
		o.GracePeriod = defaultGracePeriod
	}
	if o.Logger.GetSink() == nil {
		o.Logger = logr.Discard()
	}
	return o
}

// ValidateName returns an error if a driver cannot have that name.
func ValidateName(name string) error {
	if len(name) > maxNameLength || !driverName.MatchString(name) {
		return fmt.Errorf("driver name %q is not valid: it must be a lower-case DNS name of at most %d characters", name, maxNameLength)
	}
	return nil
}

func (o Options) validate() error {
	if err := ValidateName(o.Name); err != nil {
		return err
	}
	if err := ValidateProtocols(o.Protocols); err != nil {
		return err
	}
	if o.Backend == nil {
		return errors.New("the driver needs a backend")
	}
	if err := ValidateS3Endpoint(o.Endpoint); err != nil {
		return err
	}
	if err := ValidateParameters(o.Parameters); err != nil {
		return err
	}
	if o.VirtualEndpoint != "" {
		return ValidateS3Endpoint(o.VirtualEndpoint)
	}
	if o.Parameters[ParameterAddressingStyle] == AddressingVirtual {
		return fmt.Errorf("parameter %s is %s, but the driver has no VirtualEndpoint", ParameterAddressingStyle, AddressingVirtual)
	}
	return nil
}

// ValidateS3Endpoint returns an error if S3 clients could not use an endpoint.
func ValidateS3Endpoint(endpoint string) error {
	if u, err := url.Parse(endpoint); err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return fmt.Errorf("S3 endpoint %q is not valid: it must be a URL such as http://127.0.0.1:9000", endpoint)
	}
	return nil
}
