package csi_test

import (
	"context"
	"maps"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// controller stands between csi-sanity and the node adapter. It has a Controller service, without which csi-sanity has
// no volumes: each of its volumes has the context that a kubelet sends. Everything else it forwards.
type controller struct {
	csi.UnimplementedIdentityServer
	csi.UnimplementedNodeServer
	csi.UnimplementedControllerServer

	identity csi.IdentityClient
	node     csi.NodeClient
	context  map[string]string
}

func newController(adapter *grpc.ClientConn, volumeContext map[string]string) *controller {
	return &controller{identity: csi.NewIdentityClient(adapter), node: csi.NewNodeClient(adapter), context: volumeContext}
}

func (c *controller) register(server *grpc.Server) {
	csi.RegisterIdentityServer(server, c)
	csi.RegisterNodeServer(server, c)
	csi.RegisterControllerServer(server, c)
}

func (c *controller) GetPluginInfo(ctx context.Context, r *csi.GetPluginInfoRequest) (*csi.GetPluginInfoResponse, error) {
	return c.identity.GetPluginInfo(ctx, r)
}

func (c *controller) Probe(ctx context.Context, r *csi.ProbeRequest) (*csi.ProbeResponse, error) {
	return c.identity.Probe(ctx, r)
}

func (c *controller) GetPluginCapabilities(
	ctx context.Context, r *csi.GetPluginCapabilitiesRequest,
) (*csi.GetPluginCapabilitiesResponse, error) {
	response, err := c.identity.GetPluginCapabilities(ctx, r)
	if err != nil {
		return nil, err
	}
	response.Capabilities = append(response.Capabilities, &csi.PluginCapability{Type: &csi.PluginCapability_Service_{
		Service: &csi.PluginCapability_Service{Type: csi.PluginCapability_Service_CONTROLLER_SERVICE},
	}})
	return response, nil
}

func (c *controller) NodeGetInfo(ctx context.Context, r *csi.NodeGetInfoRequest) (*csi.NodeGetInfoResponse, error) {
	return c.node.NodeGetInfo(ctx, r)
}

func (c *controller) NodeGetCapabilities(
	ctx context.Context, r *csi.NodeGetCapabilitiesRequest,
) (*csi.NodeGetCapabilitiesResponse, error) {
	return c.node.NodeGetCapabilities(ctx, r)
}

func (c *controller) NodePublishVolume(ctx context.Context, r *csi.NodePublishVolumeRequest) (*csi.NodePublishVolumeResponse, error) {
	return c.node.NodePublishVolume(ctx, r)
}

func (c *controller) NodeUnpublishVolume(
	ctx context.Context, r *csi.NodeUnpublishVolumeRequest,
) (*csi.NodeUnpublishVolumeResponse, error) {
	return c.node.NodeUnpublishVolume(ctx, r)
}

func (*controller) ControllerGetCapabilities(
	context.Context, *csi.ControllerGetCapabilitiesRequest,
) (*csi.ControllerGetCapabilitiesResponse, error) {
	return &csi.ControllerGetCapabilitiesResponse{Capabilities: []*csi.ControllerServiceCapability{{
		Type: &csi.ControllerServiceCapability_Rpc{Rpc: &csi.ControllerServiceCapability_RPC{
			Type: csi.ControllerServiceCapability_RPC_CREATE_DELETE_VOLUME,
		}},
	}}}, nil
}

func (c *controller) CreateVolume(_ context.Context, r *csi.CreateVolumeRequest) (*csi.CreateVolumeResponse, error) {
	if r.GetName() == "" {
		return nil, status.Error(codes.InvalidArgument, "name is required")
	}
	return &csi.CreateVolumeResponse{Volume: &csi.Volume{
		VolumeId: "csi-" + r.GetName(), VolumeContext: maps.Clone(c.context), CapacityBytes: r.GetCapacityRange().GetRequiredBytes(),
	}}, nil
}

func (*controller) DeleteVolume(context.Context, *csi.DeleteVolumeRequest) (*csi.DeleteVolumeResponse, error) {
	return &csi.DeleteVolumeResponse{}, nil
}
