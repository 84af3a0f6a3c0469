package driverserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs"
	"github.com/cosi-emu/cosi-emu/internal/store"
)

// The default addresses of the services of other protocols than S3.
const (
	DefaultGCSBindAddress   = "127.0.0.1:9090"
	DefaultAzureBindAddress = "127.0.0.1:10000"
)

type other struct {
	protocol fakedriver.Protocol
	// bind is the address of the service, and endpoint its URL for applications, by default bind's.
	bind, endpoint, defaultBind string
	// open returns a function that serves on a listener.
	open func(Options, *store.Store) (func(context.Context, net.Listener) error, error)
}

// others returns the other protocols that the options enable.
func (o Options) others() []other {
	all := []other{
		{fakedriver.ProtocolGCS, o.GCSBindAddress, o.GCSEndpoint, DefaultGCSBindAddress, serveGCS},
		{fakedriver.ProtocolAzure, o.AzureBindAddress, o.AzureEndpoint, DefaultAzureBindAddress, serveAzure},
	}
	return slices.DeleteFunc(all, func(p other) bool { return !slices.Contains(o.Protocols, p.protocol) })
}

func serveGCS(o Options, s *store.Store) (func(context.Context, net.Listener) error, error) {
	service, err := gcs.New(gcs.Options{Store: s, MaxBodyBytes: o.MaxBodyBytes, Logger: o.Logger.WithName("gcs")})
	if err != nil {
		return nil, err
	}
	return service.Serve, nil
}

func serveAzure(o Options, s *store.Store) (func(context.Context, net.Listener) error, error) {
	service, err := azure.New(azure.Options{Store: s, MaxBodyBytes: o.MaxBodyBytes, Logger: o.Logger.WithName("azure")})
	if err != nil {
		return nil, err
	}
	return service.Serve, nil
}

func (o Options) validateOthers() error {
	var failed []error
	for _, p := range o.others() {
		if p.endpoint != "" && fakedriver.ValidateS3Endpoint(p.endpoint) != nil {
			failed = append(failed, fmt.Errorf("the %s endpoint %q must be a URL such as http://%s", p.protocol, p.endpoint, p.defaultBind))
			continue
		}
		failed = append(failed, validateAddress(p.protocol.String(), p.bind, p.endpoint))
	}
	return errors.Join(failed...)
}

type service struct {
	protocol fakedriver.Protocol
	listener net.Listener
	endpoint string
	serve    func(context.Context, net.Listener) error
}

type services []service

// openOthers opens the services of the other protocols. The caller closes them, also after an
// error.
func openOthers(ctx context.Context, opts Options, s *store.Store) (opened services, err error) {
	scheme := "http://"
	if opts.secure() {
		scheme = "https://"
	}
	for _, p := range opts.others() {
		listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", p.bind)
		if err != nil {
			return opened, fmt.Errorf("listen for %s: %w; stop the program that uses the address, or choose another", p.protocol, err)
		}
		endpoint := cmp.Or(p.endpoint, scheme+listener.Addr().String())
		opened = append(opened, service{protocol: p.protocol, listener: listener, endpoint: endpoint})
		if opened[len(opened)-1].serve, err = p.open(opts, s); err != nil {
			return opened, err
		}
		opts.Logger.Info("listening for "+p.protocol.String(), "address", listener.Addr().String(), "endpoint", endpoint)
	}
	return opened, nil
}

// endpoint returns the URL of a protocol's service; empty without one.
func (all services) endpoint(protocol fakedriver.Protocol) string {
	for _, s := range all {
		if s.protocol == protocol {
			return s.endpoint
		}
	}
	return ""
}

func (all services) start(ctx context.Context, group *errgroup.Group, certificates certificates) {
	for _, s := range all {
		group.Go(func() error { return s.serve(ctx, certificates.wrap(s.listener)) })
	}
}

// close closes the listeners that were never served.
func (all services) close() {
	for _, s := range all {
		_ = s.listener.Close() // Serve may have closed it
	}
}
