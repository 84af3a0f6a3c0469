package fakedriver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"time"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel/trace"
	"google.golang.org/grpc"

	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

// DefaultName is the default name of the driver.
const DefaultName = "fake.cosi-emu"

const (
	defaultGracePeriod = 5 * time.Second
	maxNameLength      = 63
)

var driverName = regexp.MustCompile(`^[a-z]([a-z0-9-]*[a-z0-9])?(\.[a-z]([a-z0-9-]*[a-z0-9])?)*$`)

// Backend is the object store of a driver. All methods except RotateAccount must be idempotent,
// with errors of the kinds ErrNotExist, ErrConflict and so on.
type Backend interface {
	CreateBucket(ctx context.Context, spec BucketSpec) (Bucket, error)
	GetBucket(ctx context.Context, name string) (Bucket, error)
	DeleteBucket(ctx context.Context, owner, name string) error
	PutAccount(ctx context.Context, spec AccountSpec) (Credentials, error)
	RotateAccount(ctx context.Context, owner, id string) (Credentials, error)
	DeleteAccount(ctx context.Context, owner, id string) error
}

// Options configure a driver.
type Options struct {
	// Name is the driver's name: a DNS name of at most 63 characters. The driver owns everything
	// that it creates in the backend under this name. Default: DefaultName.
	Name string
	// Dialect is the only protocol that the driver speaks. A driver of dialects.V1alpha1 has one
	// protocol of objects. Default: dialects.KEP.
	Dialect dialects.Dialect
	// IDs are the form of the IDs that a driver of another dialect than dialects.KEP returns. Default: IDsNames.
	IDs     IDs
	Backend Backend
	// Protocols are the protocols of buckets, the default first. Default: S3.
	Protocols []Protocol
	Endpoint  string
	// VirtualEndpoint is the URL whose host has the buckets as subdomains: with
	// http://s3.localhost:9000, a bucket is at http://BUCKET.s3.localhost:9000. Empty: the
	// addressing style virtual is rejected.
	VirtualEndpoint string
	// AzureEndpoint is the URL of the Azure service for clients. Empty: the tokens of Azure buckets
	// are for a host that does not exist.
	AzureEndpoint string
	// ServiceAccounts means that the backend exchanges tokens of ServiceAccounts for credentials.
	// Otherwise the authentication type ServiceAccount is rejected.
	ServiceAccounts bool
	// AccessModes are the supported modes; others are rejected with InvalidArgument. Default: all.
	AccessModes  []AccessMode
	SingleBucket bool
	// Parameters are defaults for BucketParameters and AccessParameters that a class does not set.
	// Parameters that do not apply to the protocol or the authentication type are ignored. Default:
	// none.
	Parameters map[string]string
	// IgnoreUnknownParameters makes the driver ignore unknown parameters, so that classes of
	// another driver can be used. It logs their names. A class can set the same with
	// ParameterIgnoreUnknown. Otherwise they are rejected.
	IgnoreUnknownParameters bool
	// AcceptUnknownAuthentication makes a driver of v1alpha1 take the unknown authentication type
	// for Key: COSI v0.2 sends it for classes that do not spell Key exactly. Otherwise it is
	// rejected, because the protocol requires a type.
	AcceptUnknownAuthentication bool
	// Region is the region for which clients sign. Default: DefaultRegion.
	Region string
	// ServerOptions are passed to the gRPC server. Interceptors among them run before the driver's
	// own, and see every call and its final outcome.
	ServerOptions []grpc.ServerOption
	// GracePeriod limits the time for calls in flight when Serve stops. Default: 5 seconds.
	GracePeriod time.Duration
	// TracerProvider makes each call a span, below the span of the caller, and each operation of the backend a span below
	// the call. No span has a secret, a parameter or the message of an error. Default: none.
	TracerProvider trace.TracerProvider
	// Logger logs every call, without secrets, at verbosity 1. Default: nothing is logged.
	Logger logr.Logger
}

func (o Options) withDefaults() Options {
	if o.Name == "" {
		o.Name = DefaultName
	}
	if o.Dialect == "" {
		o.Dialect = dialects.KEP
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

// ValidateName returns an error for an invalid driver name.
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
	if err := cmp.Or(o.validateDialect(), ValidateIDs(o.IDs, o.Dialect)); err != nil {
		return err
	}
	if o.Backend == nil {
		return errors.New("the driver needs a backend")
	}
	if err := ValidateS3Endpoint(o.Endpoint); err != nil {
		return err
	}
	if o.AzureEndpoint != "" && ValidateS3Endpoint(o.AzureEndpoint) != nil {
		return fmt.Errorf("the Azure endpoint %q is not valid: it must be a URL such as http://127.0.0.1:10000", o.AzureEndpoint)
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

// ValidateS3Endpoint returns an error if S3 clients cannot use an endpoint.
func ValidateS3Endpoint(endpoint string) error {
	if u, err := url.Parse(endpoint); err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return fmt.Errorf("S3 endpoint %q is not valid: it must be a URL such as http://127.0.0.1:9000", endpoint)
	}
	return nil
}
