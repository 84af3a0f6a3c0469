package bridge

import (
	"context"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// DriverGetInfo implements cosiv1alpha2.IdentityServer.
func (b *Bridge) DriverGetInfo(
	ctx context.Context, _ *cosiv1alpha2.DriverGetInfoRequest,
) (*cosiv1alpha2.DriverGetInfoResponse, error) {
	info, err := b.identity.DriverGetInfo(ctx, &cosiv1alpha1.DriverGetInfoRequest{})
	switch {
	case status.Code(err) == codes.Unimplemented:
		return nil, status.Errorf(codes.Unimplemented, "the driver at %s does not serve COSI v1alpha1 (service %s): %s",
			b.options.Driver, cosiv1alpha1.Identity_ServiceDesc.ServiceName, status.Convert(err).Message())
	case err != nil:
		return nil, err
	}
	response := &cosiv1alpha2.DriverGetInfoResponse{Name: info.GetName()}
	for _, protocol := range b.options.Protocols {
		response.SupportedProtocols = append(response.SupportedProtocols, &cosiv1alpha2.ObjectProtocol{Type: protocol})
	}
	return response, nil
}
