package bridge

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"go.opentelemetry.io/otel/trace"
	"google.golang.org/grpc"

	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

// DefaultS3Region is the region of buckets for which the driver returns none. The
// Secrets of v1alpha2 must have one.
const DefaultS3Region = "us-east-1"

// Options are the settings of a Bridge. Driver and Store are required.
type Options struct {
	// Driver is the address of the driver, such as unix:///path.sock.
	Driver string
	// Dialect is the protocol of the driver. By default the bridge asks the driver, after each
	// connection.
	Dialect dialects.Dialect
	// Detected, if set, is called with the dialect that the driver speaks, when the bridge has
	// asked for it and whenever it has changed.
	Detected func(dialects.Dialect)
	// Ask, if set, returns the dialect of the driver, after each connection. By default the bridge
	// calls the driver on that connection, with DialOptions.
	Ask func(context.Context) (dialects.Dialect, error)
	// DialOptions are added to the bridge's own options for the connection to the driver.
	DialOptions []grpc.DialOption
	// ServerOptions configure the bridge's own server.
	ServerOptions []grpc.ServerOption
	// TracerProvider makes each call that the bridge receives a span, below the span of the caller, and each call to the
	// driver a span below it. No span has a secret, a parameter or the message of an error. Default: none.
	TracerProvider trace.TracerProvider
	// Store keeps the driver's own IDs.
	Store Store
	// Protocols are those that a v1alpha1 driver serves, S3 or AZURE, since it does not
	// return any. The default is S3. They and the following options are for v1alpha1.
	Protocols []cosiv1alpha2.ObjectProtocol_Type
	// S3Endpoint is the URL for applications if the driver returns none.
	S3Endpoint string
	// S3Region is the region for applications if the driver returns none. The default
	// is DefaultS3Region.
	S3Region string
	// S3VirtualHosts puts the bucket into the host name of URLs, instead of the path.
	S3VirtualHosts bool
	// AssumeExisting has DriverGetBucket answer that the bucket exists if the driver cannot
	// look it up, as a v1alpha1 driver. It is for all dialects.
	AssumeExisting bool
}

// ParseProtocols returns the protocols of those names, S3 or AZURE.
func ParseProtocols(names []string) ([]cosiv1alpha2.ObjectProtocol_Type, error) {
	var protocols []cosiv1alpha2.ObjectProtocol_Type
	for _, name := range names {
		number, known := cosiv1alpha2.ObjectProtocol_Type_value[strings.ToUpper(name)]
		protocol := cosiv1alpha2.ObjectProtocol_Type(number)
		if !known || !isServed(protocol) {
			return nil, fmt.Errorf("%q: a v1alpha1 driver serves S3 or AZURE", name)
		}
		protocols = append(protocols, protocol)
	}
	return protocols, nil
}

// isServed reports whether v1alpha1 has credentials for a protocol.
func isServed(protocol cosiv1alpha2.ObjectProtocol_Type) bool {
	return protocol == cosiv1alpha2.ObjectProtocol_S3 || protocol == cosiv1alpha2.ObjectProtocol_AZURE
}

func (o Options) withDefaults() Options {
	if len(o.Protocols) == 0 {
		o.Protocols = []cosiv1alpha2.ObjectProtocol_Type{cosiv1alpha2.ObjectProtocol_S3}
	}
	if o.S3Region == "" {
		o.S3Region = DefaultS3Region
	}
	return o
}

// Validate returns an error for settings that New rejects.
func (o Options) Validate() error {
	if o.Store == nil {
		return errors.New("no store given: the bridge needs a place for the IDs that the driver chooses")
	}
	return o.ValidateDriver()
}

// ValidateDriver is Validate without the Store, which may not be open yet.
func (o Options) ValidateDriver() error {
	if o.Driver == "" {
		return errors.New("no driver given: the bridge needs its endpoint, for example unix:///var/lib/cosi/cosi.sock")
	}
	if o.Dialect != "" {
		if _, err := dialects.Parse(string(o.Dialect)); err != nil {
			return fmt.Errorf("dialect %w", err)
		}
	}
	for i, protocol := range o.Protocols {
		if !isServed(protocol) {
			return fmt.Errorf("protocol %s: a v1alpha1 driver serves S3 or AZURE", protocol)
		}
		if slices.Contains(o.Protocols[:i], protocol) {
			return fmt.Errorf("protocol %s is given twice", protocol)
		}
	}
	return ValidateS3Endpoint(o.S3Endpoint)
}

// ValidateS3Endpoint returns an error for an S3Endpoint that New rejects. An empty one is valid.
func ValidateS3Endpoint(endpoint string) error {
	if endpoint == "" {
		return nil
	}
	u, err := url.Parse(endpoint)
	if err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https") {
		return nil
	}
	if withScheme, err := url.Parse("https://" + endpoint); !strings.Contains(endpoint, "://") && err == nil && withScheme.Host != "" {
		return fmt.Errorf("S3 endpoint %q has no scheme; write https://%s, or http://%s for a service without TLS", endpoint, endpoint, endpoint)
	}
	return fmt.Errorf("S3 endpoint %q: it must be a URL such as https://s3.example.com", endpoint)
}
