package node

import (
	"context"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// identity is the CSI service Identity.
type identity struct {
	csi.UnimplementedIdentityServer

	name  string
	ready func() bool
}

// version is the vendor_version. The program's own version is in the metric go_build_info.
const version = "v1"

// GetPluginInfo implements csi.IdentityServer.
func (i identity) GetPluginInfo(context.Context, *csi.GetPluginInfoRequest) (*csi.GetPluginInfoResponse, error) {
	return &csi.GetPluginInfoResponse{Name: i.name, VendorVersion: version}, nil
}

// GetPluginCapabilities implements csi.IdentityServer. A driver of ephemeral volumes has none.
func (identity) GetPluginCapabilities(context.Context, *csi.GetPluginCapabilitiesRequest) (*csi.GetPluginCapabilitiesResponse, error) {
	return &csi.GetPluginCapabilitiesResponse{}, nil
}

// Probe implements csi.IdentityServer. The adapter is not ready until the kubelet has registered it.
func (i identity) Probe(context.Context, *csi.ProbeRequest) (*csi.ProbeResponse, error) {
	return &csi.ProbeResponse{Ready: wrapperspb.Bool(i.ready())}, nil
}
