package driverserver

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel/trace"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

// DefaultS3BindAddress is the default address of the S3 store, for programs on this machine only.
const DefaultS3BindAddress = "127.0.0.1:9000"

// ErrOptions is wrapped by the errors of options that cannot be used.
var ErrOptions = errors.New("invalid options")

// Options configure the driver and its store.
type Options struct {
	DriverName string
	// Dialect is the protocol that the driver speaks. Default: dialects.KEP.
	Dialect dialects.Dialect
	// IDs are the form of the IDs that the driver returns. Default: fakedriver.IDsNames.
	IDs fakedriver.IDs
	// Endpoint is the UNIX socket of the driver, unix:///path.sock. Required.
	Endpoint string
	// S3BindAddress is the TCP address of the store; port 0 means a free one. Default:
	// DefaultS3BindAddress.
	S3BindAddress string
	// S3Endpoint is the URL of the store for applications. Default: http, or https with
	// TLS, at S3BindAddress, which must then have a host.
	S3Endpoint string
	// S3VirtualEndpoint is the URL whose subdomains are buckets, like http://s3.localhost:9000,
	// which is the default if S3Endpoint is on this machine. Otherwise the default is empty, and
	// classes with the addressing style virtual are rejected.
	S3VirtualEndpoint string
	// Protocols are the protocols of the driver; the first is its default. Default: S3.
	Protocols []fakedriver.Protocol
	// GCSBindAddress and GCSEndpoint are the addresses of the GCS service, which
	// fakedriver.ProtocolGCS enables. The default of the first is DefaultGCSBindAddress.
	GCSBindAddress string
	GCSEndpoint    string
	// AzureBindAddress and AzureEndpoint are the addresses of the Azure service, which
	// fakedriver.ProtocolAzure enables. The default of the first is DefaultAzureBindAddress.
	AzureBindAddress string
	AzureEndpoint    string
	// TLSCertFile and TLSPrivateKeyFile are PEM files with the certificate chain and the key of the
	// store. They are reloaded when they change. Empty: no TLS.
	TLSCertFile       string
	TLSPrivateKeyFile string
	// MaxBodyBytes is the maximum size of an S3 request body; see store.Options. 0 means
	// the store's default.
	MaxBodyBytes int64
	// S3CORSOrigins are the origins of pages that may use buckets without a CORS configuration of
	// their own; see store.Options.
	S3CORSOrigins []string
	// MaxAccounts is the maximum number of granted accesses; 0 means no limit.
	MaxAccounts int
	// IgnoreUnknownParameters makes the driver ignore unknown parameters of classes.
	IgnoreUnknownParameters bool
	// S3Region is the region of the store. Default: fakedriver.DefaultRegion.
	S3Region string
	// DataDir stores buckets, objects and accounts; empty for a store in memory.
	DataDir string
	// OutageDir is a directory whose files make the backend fail and lose buckets; see package
	// outage. Empty: it does neither.
	OutageDir string
	// TracerProvider receives the spans of the driver. Default: none.
	TracerProvider trace.TracerProvider
	// Logger receives the log. The zero value logs nothing.
	Logger logr.Logger
}

func (o Options) withDefaults() Options {
	if o.DriverName == "" {
		o.DriverName = fakedriver.DefaultName
	}
	if o.Dialect == "" {
		o.Dialect = dialects.KEP
	}
	if o.S3BindAddress == "" {
		o.S3BindAddress = DefaultS3BindAddress
	}
	if o.Protocols == nil {
		o.Protocols = []fakedriver.Protocol{fakedriver.ProtocolS3}
	}
	if o.GCSBindAddress == "" {
		o.GCSBindAddress = DefaultGCSBindAddress
	}
	if o.AzureBindAddress == "" {
		o.AzureBindAddress = DefaultAzureBindAddress
	}
	if o.Logger.GetSink() == nil {
		o.Logger = logr.Discard()
	}
	return o
}

// validate checks all options before anything is created or opened.
func (o Options) validate() error {
	err := errors.Join(fakedriver.ValidateName(o.DriverName), fakedriver.ValidateListenEndpoint(o.Endpoint),
		o.validateS3Address(), o.validateS3Endpoints(),
		fakedriver.ValidateProtocols(o.Protocols), fakedriver.ValidateDialect(o.Dialect, o.Protocols), fakedriver.ValidateIDs(o.IDs, o.Dialect),
		o.validateOthers(), o.validateRegion(), o.validateLimits(), o.validateTLS(),
		fakedriver.ValidateCORSOrigins(o.S3CORSOrigins))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrOptions, err)
	}
	return nil
}

func (o Options) validateS3Address() error {
	return validateAddress("S3", o.S3BindAddress, o.S3Endpoint)
}

func validateAddress(service, address, endpoint string) error {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("%s bind address %q must have the form host:port, like 127.0.0.1:9000, or :9000 for all interfaces", service, address)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return fmt.Errorf("the port of %s bind address %q must be a number from 0 to 65535", service, address)
	}
	if isEverywhere(host) && endpoint == "" {
		return fmt.Errorf("%s bind address %q is all interfaces: set an %s endpoint, "+
			"like http://fake-driver.cosi-system.svc:9000, at which applications find the service", service, address, service)
	}
	return nil
}

// isEverywhere reports whether a listener on the host listens on all interfaces. Clients cannot
// connect to such a host.
func isEverywhere(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "" || err == nil && address.IsUnspecified()
}

func (o Options) validateS3Endpoints() error {
	var errs []error
	for _, endpoint := range []string{o.S3Endpoint, o.S3VirtualEndpoint} {
		if endpoint != "" {
			errs = append(errs, fakedriver.ValidateS3Endpoint(endpoint))
		}
	}
	return errors.Join(errs...)
}

func (o Options) validateRegion() error {
	if o.S3Region == "" {
		return nil
	}
	return fakedriver.ValidateRegion(o.S3Region)
}

func (o Options) validateLimits() error {
	if o.MaxBodyBytes < 0 || o.MaxAccounts < 0 {
		return fmt.Errorf("the limits of the store, %d bytes and %d accounts, must not be negative", o.MaxBodyBytes, o.MaxAccounts)
	}
	return nil
}

func (o Options) validateTLS() error {
	if (o.TLSCertFile == "") != (o.TLSPrivateKeyFile == "") {
		return errors.New("TLS needs both a certificate and its private key")
	}
	if !o.secure() {
		return nil
	}
	if _, err := tls.LoadX509KeyPair(o.TLSCertFile, o.TLSPrivateKeyFile); err != nil {
		return fmt.Errorf("the TLS certificate and its private key: %w", err)
	}
	return nil
}

func (o Options) secure() bool { return o.TLSCertFile != "" }
