package emulator

import (
	"cmp"
	"context"
	"fmt"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/deploy"
	"github.com/cosi-emu/cosi-emu/internal/component"
	"github.com/cosi-emu/cosi-emu/internal/seam"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
	cosisidecar "github.com/cosi-emu/cosi-emu/sidecar"
)

// driverGroup distinguishes the driver on this machine from drivers of the same name
// in a cluster.
const driverGroup = "cosi-emu"

// IsSidecar reports whether a component is a sidecar.
func IsSidecar(component string) bool { return vocabulary.IsSidecar(component) }

func (e *Emulator) startSidecar(ctx context.Context) error {
	opts := cosisidecar.Options{Endpoint: e.info.DriverEndpoint}
	if e.driver != nil {
		opts = e.driver.SidecarOptions()
	}
	if e.opts.API == objectstorage.V1alpha1 { // otherwise a bridge has them
		opts.S3Endpoint, opts.S3Region = e.opts.DriverS3Endpoint, e.opts.DriverS3Region
	}
	opts.DriverGroup, opts.CertificateAuthority = driverGroup, string(e.certificates)
	if e.opts.Cluster != nil { // in a control plane of its own, the emulator names the drivers
		opts.LeaderElection, opts.LeaderElectionNamespace = true, deploy.Namespace
	}
	_, err := e.AddSidecar(ctx, ComponentSidecar, opts)
	return err
}

// AddSidecar starts an additional sidecar of a running emulator, for a driver that the caller runs.
// Endpoint or DialOptions lead to the driver. No other component may have the name. Zero timeouts,
// delays, SecretKeys, SecretParametersFrom and Logger default to the emulator's. After a restart the component connects again.
func (e *Emulator) AddSidecar(ctx context.Context, name string, opts cosisidecar.Options) (*Component, error) {
	if e.component(name) != nil {
		return nil, fmt.Errorf("%w: there is a component %q already", ErrOptions, name)
	}
	cfg, err := e.sidecarUser(ctx)
	if err != nil {
		return nil, err
	}
	opts.ConnectTimeout = cmp.Or(opts.ConnectTimeout, e.opts.ConnectTimeout)
	opts.RPCTimeout = cmp.Or(opts.RPCTimeout, e.opts.RPCTimeout)
	opts.RetryBaseDelay = cmp.Or(opts.RetryBaseDelay, e.opts.RetryBaseDelay)
	opts.RetryMaxDelay = cmp.Or(opts.RetryMaxDelay, e.opts.RetryMaxDelay)
	opts.Strict = opts.Strict || e.opts.Strict
	if opts.SecretKeys == nil {
		opts.SecretKeys = e.opts.SecretKeys
	}
	if opts.SecretParametersFrom == nil {
		opts.SecretParametersFrom = e.opts.SecretParametersFrom
	}
	opts = e.opts.withLeaderElection(opts)
	command := e.opts.Implementations.SidecarCommand
	err = e.startCOSI(ctx, name, command, func(ctx context.Context, i *seam.Incarnation) (component.Runner, error) {
		return e.newSidecar(ctx, cfg, opts, i)
	})
	if err != nil {
		return nil, err
	}
	return e.component(name), nil
}
