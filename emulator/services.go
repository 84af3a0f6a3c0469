package emulator

import (
	"cmp"
	"context"
	"fmt"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/component"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/pipeline"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3"
	"github.com/cosi-emu/cosi-emu/internal/keyring"
	"github.com/cosi-emu/cosi-emu/internal/service"
)

// servicePorts are the ports of the options.
func (o Options) servicePorts() service.Ports {
	return service.Ports{fakedriver.ProtocolS3: o.S3Port, fakedriver.ProtocolGCS: o.GCSPort, fakedriver.ProtocolAzure: o.AzurePort}
}

func (o Options) validateProtocols() error {
	if o.Protocols != nil {
		if err := fakedriver.ValidateProtocols(o.Protocols); err != nil {
			return fmt.Errorf("%w: %w", ErrOptions, err)
		}
	}
	if !o.fake() && (o.Protocols != nil || o.servicePorts().Others()) {
		return fmt.Errorf("%w: the protocols, and the ports of GCS and Azure, belong to the fake driver, which is left out", ErrOptions)
	}
	return nil
}

// validateServices rejects the port of a service that does not run. A data directory and a snapshot can have its
// protocol, so it follows them.
func (o Options) validateServices() error {
	if err := o.servicePorts().ValidateFor(o.Protocols); err != nil {
		return fmt.Errorf("%w: %w", ErrOptions, err)
	}
	return nil
}

func (o Options) validatePorts() error {
	if err := cmp.Or(service.ValidatePort("API server", o.APIServerPort), o.servicePorts().Validate()); err != nil {
		return fmt.Errorf("%w: %w", ErrOptions, err)
	}
	return nil
}

// startS3 starts the store with its service for S3, which runs whatever the protocols of the driver
// are.
func (e *Emulator) startS3(ctx context.Context) (err error) {
	if e.s3, err = e.reserve(ctx, service.S3); err != nil {
		return err
	}
	if e.tlsConfig, err = e.storeTLS(); err != nil {
		return err
	}
	if err := e.openStore(ctx); err != nil {
		return err
	}
	e.info.S3Region = cmp.Or(e.opts.S3Region, fakedriver.DefaultRegion)
	if err := e.runService(ctx, e.s3, e.loseAllData); err != nil {
		return err
	}
	if !e.opts.listen().BeyondLoopback() {
		e.s3VirtualEndpoint = e.s3.URL(s3.DefaultHost)
	}
	return nil
}

// startService starts the service of another protocol than S3.
func (e *Emulator) startService(ctx context.Context, s service.Service) error {
	instance, err := e.reserve(ctx, s)
	if err != nil {
		return err
	}
	return e.runService(ctx, instance, nil)
}

// reserve reserves the port of a service. The emulator warns if it is not the port of before.
func (e *Emulator) reserve(ctx context.Context, s service.Service) (*service.Instance, error) {
	instance, warning, err := service.Reserve(ctx, s, service.Place{
		Bind: e.opts.listen().Bind(), Wanted: e.opts.servicePorts()[s.Protocol()], Saved: e.savedPort(s), API: e.opts.API,
	})
	if err != nil {
		return nil, err
	}
	e.onStop(func(context.Context) error { return instance.Release() })
	if warning != "" {
		e.warn(warning)
	}
	return instance, nil
}

// runService starts the component of a service.
func (e *Emulator) runService(ctx context.Context, i *service.Instance, forget component.DataLoss) error {
	i.Secure(e.tlsConfig)
	server, err := i.Start(service.Options{
		Options:     pipeline.Options{Store: e.store, MaxBodyBytes: e.opts.MaxBodyBytes},
		CORSOrigins: e.opts.S3CORSOrigins, WebIdentity: e.webIdentity, Issued: e.rememberSession,
	})
	if err != nil {
		return err
	}
	endpoint := i.URL(e.opts.listen().Host())
	*i.Endpoint(&e.info) = endpoint
	*i.Keys(e.keys) = keyring.Service{Handler: server.Unwrapped(), Endpoint: endpoint, Region: i.Region(e.store)}
	return e.startStateful(ctx, i.Component(), forget, i.Create)
}
