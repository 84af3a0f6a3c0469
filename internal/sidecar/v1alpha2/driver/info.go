package driver

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/connection"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

const getInfo = "DriverGetInfo"

// ErrGeneration is wrapped by the error of a driver that does not speak v1alpha2.
var ErrGeneration = errors.New("it does not serve COSI v1alpha2")

// Info is a driver's answer to DriverGetInfo.
type Info struct {
	Name string
	// Protocols that the driver serves, at least one, without duplicates.
	Protocols []v1alpha2.Protocol
}

func (d *Driver) getInfo(ctx context.Context, conn grpc.ClientConnInterface) (connection.Info, error) {
	response, err := cosiv1alpha2.NewIdentityClient(conn).DriverGetInfo(ctx, &cosiv1alpha2.DriverGetInfoRequest{}, grpc.WaitForReady(true))
	if status.Code(err) == codes.Unimplemented {
		return connection.Info{}, fmt.Errorf(
			"%w (service %s), but probably another version; put 'cosi-emu bridge' in front of a driver of v1alpha1: %w",
			ErrGeneration, cosiv1alpha2.Identity_ServiceDesc.ServiceName, connection.NewCallError(getInfo, err, IsFinal))
	}
	if err != nil {
		return connection.Info{}, connection.NewCallError(getInfo, err, IsFinal)
	}
	info, err := readInfo(response)
	return connection.Info{Name: info.Name, Accept: func() { d.protocols.Store(&info.Protocols) }}, err
}

// readInfo validates an answer to DriverGetInfo. It ignores duplicate protocols.
func readInfo(response *cosiv1alpha2.DriverGetInfoResponse) (Info, error) {
	if err := v1alpha2.CheckDriverName(response.GetName()); err != nil {
		return Info{}, connection.Invalid(getInfo, "the driver's name is invalid: %v", err)
	}
	info := Info{Name: response.GetName()}
	for _, protocol := range response.GetSupportedProtocols() {
		known, ok := protocolOf(protocol.GetType())
		if !ok {
			return Info{}, connection.Invalid(getInfo, "driver %s names an unknown protocol: %s; it must be S3, AZURE or GCS",
				info.Name, protocol.GetType())
		}
		info.Protocols = append(info.Protocols, known)
	}
	if len(info.Protocols) == 0 {
		return Info{}, connection.Invalid(getInfo, "driver %s names no protocol; it must serve at least one of S3, AZURE and GCS", info.Name)
	}
	slices.Sort(info.Protocols)
	info.Protocols = slices.Compact(info.Protocols)
	return info, nil
}
