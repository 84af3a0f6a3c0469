package emulator

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/bridge"
	"github.com/cosi-emu/cosi-emu/internal/driveraccount"
	"github.com/cosi-emu/cosi-emu/internal/driveridentity"
	"github.com/cosi-emu/cosi-emu/internal/externaldriver"
	"github.com/cosi-emu/cosi-emu/internal/manifest"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

// ErrDriverVersion is wrapped by the error of an external driver that speaks another version of
// the protocol than Options.API.
var ErrDriverVersion = driveridentity.ErrVersion

// checkDriver asks an external driver for its name, before a component for it starts.
func (e *Emulator) checkDriver(ctx context.Context) error {
	if e.opts.Dialect != "" {
		return e.useDriver(ctx, e.opts.Driver, e.opts.Dialect, nil)
	}
	return e.useDriver(ctx, e.opts.Driver, "", detect(e.opts.Driver))
}

// dialectFunc asks a running driver for its dialect.
type dialectFunc func(context.Context) (dialects.Dialect, error)

func detect(endpoint string) dialectFunc {
	return func(ctx context.Context) (dialects.Dialect, error) { return bridge.Detect(ctx, endpoint) }
}

// useDriver connects the emulator's sidecar to the driver at an endpoint.
func (e *Emulator) useDriver(ctx context.Context, endpoint string, known dialects.Dialect, ask dialectFunc) error {
	driver, err := e.connectDriver(ctx, ComponentBridge, endpoint, known, ask)
	if err != nil {
		return err
	}
	e.driver, e.info.DriverName = driver, driver.Name()
	driver.Tell(func(dialect dialects.Dialect, endpoint string) {
		e.mu.Lock()
		e.info.DriverEndpoint, e.info.DriverDialect = endpoint, e.describeDialect(dialect)
		e.mu.Unlock()
		if e.opts.DriverChanged != nil {
			e.opts.DriverChanged()
		}
	})
	return nil
}

// connectDriver connects to an external driver, behind a bridge if the driver needs one.
func (e *Emulator) connectDriver(
	ctx context.Context, component, endpoint string, known dialects.Dialect, ask dialectFunc,
) (*externaldriver.Driver, error) {
	if e.opts.API == objectstorage.V1alpha1 {
		ask = nil // the version has one dialect
	}
	return externaldriver.Connect(ctx, externaldriver.Options{
		Address: endpoint, Component: component, Dir: e.bridgeDir(component), Ask: ask,
		Identify: func(ctx context.Context, endpoint string) (driveridentity.Identity, error) {
			return e.askDriver(ctx, endpoint, known)
		},
		Name: func(ctx context.Context, endpoint string) (string, error) { return e.question(endpoint, "").Name(ctx) },
		Bridge: bridge.Options{
			AssumeExisting: e.opts.AssumeExisting, Protocols: e.opts.DriverProtocols,
			S3Endpoint: e.opts.DriverS3Endpoint, S3Region: e.opts.DriverS3Region,
		},
		Bridges: bridges{e}, Warn: e.warn,
	})
}

// askDriver asks an external driver for its identity, and waits until the driver is ready. It asks
// for the dialect only if that is unknown.
func (e *Emulator) askDriver(ctx context.Context, endpoint string, known dialects.Dialect) (driveridentity.Identity, error) {
	return e.generation().Ask(e.question(endpoint, known), ctx)
}

func (e *Emulator) question(endpoint string, known dialects.Dialect) driveridentity.Question {
	return driveridentity.Question{
		Endpoint: endpoint, Known: known, ConnectTimeout: e.opts.ConnectTimeout, RPCTimeout: e.opts.RPCTimeout,
	}
}

// prepareDriverAccount creates the ServiceAccount of a user's own driver, and writes its files. An
// existing cluster gets the ServiceAccount only with Install.
func (e *Emulator) prepareDriverAccount(ctx context.Context) error {
	granted, err := driveraccount.RightsOf(e.opts.Implementations.DriverRBAC)
	if err != nil {
		return err
	}
	if err := e.createRights(ctx, granted.Objects); err != nil {
		return fmt.Errorf("grant the rights of the driver: %w", err)
	}
	account, err := driveraccount.Write(ctx, e.client, e.Config(), granted.Account, filepath.Join(e.info.Dir, "driver"))
	e.info.DriverServiceAccount, e.info.DriverVariables = account.Dir, account.Variables
	return err
}

func (e *Emulator) createRights(ctx context.Context, objects []*unstructured.Unstructured) (err error) {
	if e.cluster == nil {
		return manifest.Apply(ctx, e.client, objects)
	}
	if !e.opts.Install {
		return nil
	}
	for _, object := range objects {
		_, created := e.cluster.Create(ctx, object)
		err = errors.Join(err, created)
	}
	return err
}
