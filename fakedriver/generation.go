package fakedriver

import (
	"cmp"
	"fmt"
	"slices"

	"google.golang.org/grpc"

	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// Generation is a version of the COSI protocol. A driver speaks one.
type Generation string

// The generations.
const (
	V1alpha1 Generation = "v1alpha1"
	V1alpha2 Generation = "v1alpha2"
)

// ValidateGeneration returns an error if no driver speaks a generation.
func ValidateGeneration(g Generation) error {
	if g != V1alpha1 && g != V1alpha2 {
		return fmt.Errorf("version %q of the protocol is unknown: it must be %s or %s", string(g), V1alpha1, V1alpha2)
	}
	return nil
}

// validateGeneration returns an error for options that do not fit the generation.
func (o Options) validateGeneration() error {
	if o.Generation != V1alpha1 {
		return ValidateGeneration(o.Generation)
	}
	return cmp.Or(ValidateGenerationProtocols(o.Generation, o.Protocols), o.validateReadWrite())
}

// ValidateGenerationProtocols returns an error if a driver of a generation cannot have
// these protocols. A request of v1alpha1 does not name the protocol of a bucket.
func ValidateGenerationProtocols(g Generation, protocols []Protocol) error {
	if g == V1alpha1 && len(protocols) > 1 {
		return fmt.Errorf("protocols %s: a driver of COSI %s has one protocol, because requests name none", protocolNames(protocols...), g)
	}
	return nil
}

func (o Options) validateReadWrite() error {
	if o.AccessModes != nil && !slices.Contains(o.AccessModes, ReadWrite) {
		return fmt.Errorf("access modes %v: COSI %s has no access modes, and every access is %s", o.AccessModes, o.Generation, ReadWrite)
	}
	return nil
}

// register adds the services of the driver's generation to a server.
func (d *Driver) register(server grpc.ServiceRegistrar) {
	if d.options.Generation == V1alpha1 {
		services := &v1alpha1{driver: d}
		cosiv1alpha1.RegisterIdentityServer(server, services)
		cosiv1alpha1.RegisterProvisionerServer(server, services)
		return
	}
	cosiv1alpha2.RegisterIdentityServer(server, d)
	cosiv1alpha2.RegisterProvisionerServer(server, d)
}
