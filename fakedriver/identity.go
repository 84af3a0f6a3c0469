package fakedriver

import (
	"context"

	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// DriverGetInfo implements the Identity service.
func (d *Driver) DriverGetInfo(context.Context, *cosiv1alpha2.DriverGetInfoRequest) (*cosiv1alpha2.DriverGetInfoResponse, error) {
	return &cosiv1alpha2.DriverGetInfoResponse{
		Name:               d.options.Name,
		SupportedProtocols: d.supportedProtocols(),
	}, nil
}
