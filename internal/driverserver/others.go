package driverserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"

	"golang.org/x/sync/errgroup"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/pipeline"
	"github.com/cosi-emu/cosi-emu/internal/service"
	"github.com/cosi-emu/cosi-emu/internal/store"
	"github.com/cosi-emu/cosi-emu/internal/tcpport"
)

// The default addresses of the services of other protocols than S3.
const (
	DefaultGCSBindAddress   = "127.0.0.1:9090"
	DefaultAzureBindAddress = "127.0.0.1:10000"
)

// other is the service of another protocol than S3.
type other struct {
	service.Service

	// bind is the address of the service, and endpoint its URL for applications, by default bind's.
	bind, endpoint, defaultBind string
}

// others returns the services that the protocols enable.
func (o Options) others() []other {
	places := map[fakedriver.Protocol]other{
		fakedriver.ProtocolGCS:   {bind: o.GCSBindAddress, endpoint: o.GCSEndpoint, defaultBind: DefaultGCSBindAddress},
		fakedriver.ProtocolAzure: {bind: o.AzureBindAddress, endpoint: o.AzureEndpoint, defaultBind: DefaultAzureBindAddress},
	}
	var all []other
	for _, s := range service.Others(o.Protocols) {
		one := places[s.Protocol()]
		one.Service = s
		all = append(all, one)
	}
	return all
}

func (o Options) validateOthers() error {
	var failed []error
	for _, p := range o.others() {
		if p.endpoint != "" && fakedriver.ValidateS3Endpoint(p.endpoint) != nil {
			failed = append(failed, fmt.Errorf("the %s endpoint %q must be a URL such as http://%s", p.Protocol(), p.endpoint, p.defaultBind))
			continue
		}
		failed = append(failed, validateAddress(p.Protocol().String(), p.bind, p.endpoint))
	}
	return errors.Join(failed...)
}

// openService is an open service that is not served yet.
type openService struct {
	other

	listener net.Listener
	server   service.Server
}

type openServices []openService

// openOthers opens the services of the other protocols. The caller closes them, also after an
// error.
func openOthers(ctx context.Context, opts Options, s *store.Store) (opened openServices, err error) {
	scheme := "http://"
	if opts.secure() {
		scheme = "https://"
	}
	for _, p := range opts.others() {
		listener, err := tcpport.Listen(ctx, p.Protocol().String(), p.bind)
		if err != nil {
			return opened, err
		}
		p.endpoint = cmp.Or(p.endpoint, scheme+listener.Addr().String())
		opened = append(opened, openService{other: p, listener: listener})
		options := service.Options{
			Options: pipeline.Options{Store: s, MaxBodyBytes: opts.MaxBodyBytes, Logger: opts.Logger}, CORSOrigins: opts.S3CORSOrigins,
		}
		if opened[len(opened)-1].server, err = p.Open(options); err != nil {
			return opened, err
		}
		opts.Logger.Info("listening for "+p.Protocol().String(), "address", listener.Addr().String(), "endpoint", p.endpoint)
	}
	return opened, nil
}

// lead makes a driver lead its clients to the services.
func (all openServices) lead(driver *fakedriver.Options) {
	for _, s := range all {
		s.Lead(driver, s.endpoint)
	}
}

func (all openServices) start(ctx context.Context, group *errgroup.Group, certificates certificates) {
	for _, s := range all {
		group.Go(func() error { return s.server.Serve(ctx, certificates.wrap(s.listener)) })
	}
}

// close closes the listeners that were never served.
func (all openServices) close() {
	for _, s := range all {
		_ = s.listener.Close() // Serve may have closed it
	}
}
