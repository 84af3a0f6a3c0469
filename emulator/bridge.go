package emulator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"slices"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/bridge"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/component"
	"github.com/cosi-emu/cosi-emu/internal/externaldriver"
	"github.com/cosi-emu/cosi-emu/internal/seam"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

// bridgeComponent is a bridge in front of a driver.
type bridgeComponent struct {
	emulator  *Emulator
	component *Component
	// ids outlive the incarnations of the bridge, and with a data directory the emulator.
	ids *bridge.Directory
	// socket is where other programs connect; empty if they cannot.
	socket string
}

// Endpoint implements externaldriver.Bridge.
func (b *bridgeComponent) Endpoint() string { return b.socket }

// Remove implements externaldriver.Bridge.
func (b *bridgeComponent) Remove(ctx context.Context) error { return b.emulator.removeBridge(ctx, b) }

// bridges implements externaldriver.Bridges.
type bridges struct{ emulator *Emulator }

func (b bridges) Needed(dialect dialects.Dialect) bool { return b.emulator.opts.needsBridge(dialect) }

func (b bridges) Unneeded(endpoint string, dialect dialects.Dialect) {
	b.emulator.speaks(endpoint, dialect)
}

func (b bridges) Start(
	ctx context.Context, component string, dialect dialects.Dialect, options bridge.Options,
) (externaldriver.Bridge, error) {
	if dialect == dialects.V1alpha1 {
		if err := b.emulator.ServeV1alpha1Buckets(ctx); err != nil {
			return nil, fmt.Errorf("serve Buckets of %s for the driver: %w", objectstorage.V1alpha1, err)
		}
	}
	started, err := b.emulator.startSocketBridge(ctx, component, options)
	if err != nil {
		return nil, err // and no nil pointer
	}
	return started, nil
}

// bridged reports whether the emulator's driver is behind a bridge, because it speaks COSI v1alpha1
// or an earlier dialect of v1alpha2.
func (e *Emulator) bridged() bool { return e.component(ComponentBridge) != nil }

func (e *Emulator) fakeDialect() dialects.Dialect {
	return cmp.Or(e.opts.Dialect, e.generation().Dialect)
}

// describeDialect returns the name of a dialect, or nothing for the dialect of the version.
func (e *Emulator) describeDialect(dialect dialects.Dialect) string {
	if dialect == e.generation().Dialect {
		return ""
	}
	return string(dialect)
}

// speaks records the dialect at an endpoint to which a sidecar connects.
func (e *Emulator) speaks(endpoint string, dialect dialects.Dialect) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.dialects == nil {
		e.dialects = map[string]dialects.Dialect{}
	}
	e.dialects[endpoint] = dialect
}

// dialectAt returns the dialect at an endpoint to which a sidecar connects. A bridge speaks the
// dialect of the version.
func (e *Emulator) dialectAt(endpoint string) dialects.Dialect {
	e.mu.Lock()
	defer e.mu.Unlock()
	return cmp.Or(e.dialects[endpoint], e.generation().Dialect)
}

// needsBridge reports whether a driver of a dialect needs a bridge. A user's own sidecar speaks the
// dialects of its version itself.
func (o Options) needsBridge(dialect dialects.Dialect) bool {
	ownSidecar := o.Implementations.Sidecar != nil || o.Implementations.SidecarCommand != nil
	switch {
	case o.API == objectstorage.V1alpha1:
		return false
	case dialect == dialects.V1alpha1:
		return true
	default:
		return dialect != dialects.KEP && !ownSidecar
	}
}

// BridgesFake reports whether the fake drivers of an emulator with these options are behind bridges.
func (o Options) BridgesFake() bool { return o.fake() && o.Dialect != "" && o.needsBridge(o.Dialect) }

// validateDialect rejects an unknown dialect, a dialect that conflicts with other options, and a
// dialect without a driver.
func (o Options) validateDialect() error {
	dialect := o.Dialect
	if !o.BridgesFake() {
		dialect = dialects.KEP
	}
	if err := fakedriver.ValidateIDs(o.DriverIDs, dialect); err != nil {
		return fmt.Errorf("%w: %w", ErrOptions, err)
	}
	if o.Dialect == "" {
		return nil
	}
	protocols := o.Protocols
	if !o.fake() {
		protocols = nil
	}
	if err := fakedriver.ValidateDialect(o.Dialect, protocols); err != nil {
		return fmt.Errorf("%w: %w", ErrOptions, err)
	}
	switch {
	case o.NoDriver:
		return fmt.Errorf("%w: a dialect requires a driver, and NoDriver starts none", ErrOptions)
	case o.API == objectstorage.V1alpha1 && o.Dialect != dialects.V1alpha1:
		return fmt.Errorf("%w: the kinds of %s have no bridge, so the driver cannot speak %s", ErrOptions, o.API, o.Dialect.Protocol())
	case o.BridgesFake():
		_, err := o.ownBridge("", o.Protocols)
		return err
	}
	return nil
}

func (o Options) ownBridge(endpoint string, protocols []fakedriver.Protocol) (bridge.Options, error) {
	options := bridge.Options{Driver: endpoint, Dialect: o.Dialect}
	if o.Dialect != dialects.V1alpha1 {
		return options, nil
	}
	var err error
	options.AssumeExisting = true
	options.Protocols, err = bridgeProtocols(protocols)
	return options, err
}

// bridgeProtocols returns the protocols of a fake driver of v1alpha1 as its bridge reports them.
func bridgeProtocols(protocols []fakedriver.Protocol) ([]cosiv1alpha2.ObjectProtocol_Type, error) {
	switch {
	case len(protocols) == 0 || slices.Equal(protocols, []fakedriver.Protocol{fakedriver.ProtocolS3}):
		return []cosiv1alpha2.ObjectProtocol_Type{cosiv1alpha2.ObjectProtocol_S3}, nil
	case slices.Equal(protocols, []fakedriver.Protocol{fakedriver.ProtocolAzure}):
		return []cosiv1alpha2.ObjectProtocol_Type{cosiv1alpha2.ObjectProtocol_AZURE}, nil
	default:
		return nil, fmt.Errorf("%w: protocols %v: a driver behind a bridge serves one protocol, S3 or Azure", ErrOptions, protocols)
	}
}

func listenOn(endpoint string) func() (net.Listener, error) {
	return func() (net.Listener, error) { return fakedriver.Listen(endpoint) }
}

func (e *Emulator) startOwnBridge(ctx context.Context) error {
	options, err := e.opts.ownBridge(e.info.DriverEndpoint, e.opts.Protocols)
	if err != nil {
		return err
	}
	started, err := e.startSocketBridge(ctx, ComponentBridge, options)
	if err != nil {
		return err
	}
	e.info.DriverEndpoint = started.socket
	return nil
}

// startSocketBridge starts a bridge to which other programs may connect.
func (e *Emulator) startSocketBridge(ctx context.Context, name string, options bridge.Options) (*bridgeComponent, error) {
	path, err := filepath.Abs(filepath.Join(e.info.Dir, "run", name+".sock"))
	if err != nil {
		return nil, err
	}
	socket := "unix://" + path
	//nolint:contextcheck // the probe of a stale socket is bounded by itself
	started, err := e.startBridge(ctx, name, options, listenOn(socket))
	if err != nil {
		return nil, err
	}
	started.socket = socket
	return started, nil
}

func (e *Emulator) startBridge(
	ctx context.Context, name string, opts bridge.Options, listen func() (net.Listener, error),
) (*bridgeComponent, error) {
	if e.component(name) != nil {
		return nil, fmt.Errorf("%w: there is a component %q already", ErrOptions, name)
	}
	ids, err := bridge.OpenDirectory(e.bridgeDir(name))
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	e.bridgeIDs = append(e.bridgeIDs, ids)
	e.mu.Unlock()
	e.onStop(func(context.Context) error { return ids.Close() }) // after the component; a removed bridge has closed it
	dial, report := opts.DialOptions, opts.Detected
	err = e.startComponent(ctx, name, func(_ context.Context, i *seam.Incarnation) (component.Runner, error) {
		opts.Store, opts.ServerOptions, opts.TracerProvider = ids, i.ServerOptions(), e.opts.TracerProvider
		opts.DialOptions = slices.Concat(dial, i.DialOptions())
		if opts.Dialect != "" {
			e.logger(i).Info("bridge to a driver of " + opts.Dialect.Protocol())
		}
		opts.Detected = func(dialect dialects.Dialect) {
			e.logger(i).Info("bridge to a driver of " + dialect.Protocol())
			if report != nil {
				report(dialect)
			}
		}
		b, err := bridge.New(opts)
		if err != nil {
			return nil, err
		}
		listener, err := listen()
		if err != nil {
			return nil, errors.Join(err, b.Close())
		}
		return component.Server(func(ctx context.Context) error { return errors.Join(b.Serve(ctx, listener), b.Close()) }), nil
	})
	started := &bridgeComponent{emulator: e, component: e.component(name), ids: ids}
	if err != nil {
		return nil, errors.Join(err, e.removeBridge(context.WithoutCancel(ctx), started))
	}
	return started, nil
}

func (e *Emulator) removeBridge(ctx context.Context, b *bridgeComponent) error {
	if b == nil {
		return nil
	}
	return errors.Join(e.remove(ctx, b.component), b.ids.Close())
}
