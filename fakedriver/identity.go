package fakedriver

import (
	"context"

	cosi "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// DriverGetInfo implements the Identity service.
func (d *Driver) DriverGetInfo(context.Context, *cosi.DriverGetInfoRequest) (*cosi.DriverGetInfoResponse, error) {
	return &cosi.DriverGetInfoResponse{
		Name:               d.options.Name,
		SupportedProtocols: d.supportedProtocols(),
	}, nil
}
