package emulator

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/cosi-emu/cosi-emu/fakedriver"
)

// validateStoreOnly rejects options about the parts that StoreOnly leaves out.
func (o Options) validateStoreOnly() error {
	if !o.StoreOnly {
		return nil
	}
	own := o.Implementations
	for _, part := range []struct {
		name    string
		options []any
	}{
		{"a driver", []any{o.Driver, own.DriverCommand, o.NoDriver, o.DriverNames, o.Dialect, o.DriverIDs, o.Socket}},
		{"a control plane", []any{o.ControlPlane, o.Cluster, o.Install, o.ControlPlaneKind, o.ControlPlaneDir, o.APIServerPort}},
		{"objects of COSI", []any{o.API, o.CRDs, o.Snapshot, o.SecretKeys, o.SecretParametersFrom}},
		{"Pods", []any{o.Pods, o.Images}},
		{"a controller or a sidecar", []any{
			own.Controller, own.ControllerCommand, own.Sidecar, own.SidecarCommand, o.LeaderElection,
		}},
	} {
		if slices.ContainsFunc(part.options, isGiven) {
			return fmt.Errorf("%w: StoreOnly starts the store and its services only, and there is an option of %s", ErrOptions, part.name)
		}
	}
	return nil
}

// isGiven reports whether an option has another value than its zero value.
func isGiven(option any) bool { return option != nil && !reflect.ValueOf(option).IsZero() }

func (o Options) validateRootKey() error {
	switch {
	case o.S3RootKey == (fakedriver.Credentials{}):
		return nil
	case !o.fake():
		return fmt.Errorf("%w: the root key belongs to the store of the fake driver, which is left out", ErrOptions)
	}
	if err := o.S3RootKey.Validate(); err != nil {
		return fmt.Errorf("%w: root key: %w", ErrOptions, err)
	}
	return nil
}
