package fakedriver

import (
	"cmp"
	"fmt"
	"slices"

	"google.golang.org/grpc"

	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

// ValidateDialect returns an error if a driver of a dialect cannot have these protocols. A request
// of v1alpha1 does not name the protocol of a bucket.
func ValidateDialect(dialect dialects.Dialect, protocols []Protocol) error {
	if _, err := dialects.Parse(string(dialect)); err != nil {
		return fmt.Errorf("dialect %w", err)
	}
	if dialect == dialects.V1alpha1 && len(protocols) > 1 {
		return fmt.Errorf("protocols %s: a driver of %s has one protocol, because requests name none",
			protocolNames(protocols...), dialect.Protocol())
	}
	return nil
}

// validateDialect returns an error for options that conflict with the dialect.
func (o Options) validateDialect() error {
	return cmp.Or(ValidateDialect(o.Dialect, o.Protocols), o.validateReadWrite())
}

func (o Options) validateReadWrite() error {
	hasModes := o.Dialect != dialects.V1alpha1 && o.Dialect != dialects.NoModes
	if hasModes || o.AccessModes == nil || slices.Contains(o.AccessModes, ReadWrite) {
		return nil
	}
	return fmt.Errorf("access modes %v: %s has no access modes, and every access is %s", o.AccessModes, o.Dialect.Protocol(), ReadWrite)
}

func (d *Driver) register(server grpc.ServiceRegistrar) {
	if d.options.Dialect == dialects.V1alpha1 {
		services := &v1alpha1{driver: d}
		cosiv1alpha1.RegisterIdentityServer(server, services)
		cosiv1alpha1.RegisterProvisionerServer(server, services)
		return
	}
	cosiv1alpha2.RegisterIdentityServer(server, d)
	description := d.options.Dialect.Provisioner()
	server.RegisterService(&description, d.provisioner())
}

// provisioner returns the Provisioner service of the driver's dialect of v1alpha2.
func (d *Driver) provisioner() any {
	switch d.options.Dialect {
	case dialects.KEP:
		return d
	case dialects.BucketIDs:
		return &bucketIDs{driver: d}
	default:
		return &oneCall{driver: d}
	}
}
