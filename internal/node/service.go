package node

import (
	"context"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"github.com/go-logr/logr"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"k8s.io/client-go/rest"

	"github.com/cosi-emu/cosi-emu/internal/atomicvolume"
	"github.com/cosi-emu/cosi-emu/internal/node/access"
	"github.com/cosi-emu/cosi-emu/internal/node/volume"
)

// service is the CSI service Node.
type service struct {
	csi.UnimplementedNodeServer

	options Options
	config  *rest.Config // for address and certificate authority of the API server
	marks   *access.Marks
	records volume.Records
	medium  volume.Medium
	write   func(dir string, files map[string]atomicvolume.File) (changed bool, err error)
	log     logr.Logger
	busy    busy
}

func newService(cfg *rest.Config, options Options) (*service, error) {
	marks, err := access.NewMarks(cfg, options.API)
	if err != nil {
		return nil, err
	}
	medium, err := volume.NewMedium(options.Medium)
	if err != nil {
		return nil, err
	}
	records, err := volume.OpenRecords(options.StateDir)
	if err != nil {
		return nil, err
	}
	return &service{
		options: options, config: cfg, marks: marks, records: records, medium: medium, write: atomicvolume.Write, log: options.Logger,
	}, nil
}

// NodeGetInfo implements csi.NodeServer.
func (s *service) NodeGetInfo(context.Context, *csi.NodeGetInfoRequest) (*csi.NodeGetInfoResponse, error) {
	return &csi.NodeGetInfoResponse{NodeId: s.options.NodeName}, nil
}

// NodeGetCapabilities implements csi.NodeServer. With VOLUME_MOUNT_GROUP, the kubelet sends the fsGroup of a Pod instead
// of changing the files itself, which it could not do at each rotation.
func (*service) NodeGetCapabilities(context.Context, *csi.NodeGetCapabilitiesRequest) (*csi.NodeGetCapabilitiesResponse, error) {
	return &csi.NodeGetCapabilitiesResponse{Capabilities: []*csi.NodeServiceCapability{{
		Type: &csi.NodeServiceCapability_Rpc{Rpc: &csi.NodeServiceCapability_RPC{
			Type: csi.NodeServiceCapability_RPC_VOLUME_MOUNT_GROUP,
		}},
	}}}, nil
}

// NodePublishVolume implements csi.NodeServer. The kubelet calls it again from time to time, so that files change with
// their Secrets.
func (s *service) NodePublishVolume(ctx context.Context, req *csi.NodePublishVolumeRequest) (*csi.NodePublishVolumeResponse, error) {
	wanted, err := parsePublish(req)
	if err != nil {
		return nil, status.Error(codes.InvalidArgument, err.Error())
	}
	end, err := s.busy.begin(volume.Key(wanted.volumeID))
	if err != nil {
		return nil, err
	}
	defer end()
	if err := s.publish(ctx, wanted); err != nil {
		return nil, statusOf(err)
	}
	return &csi.NodePublishVolumeResponse{}, nil
}

// NodeUnpublishVolume implements csi.NodeServer.
func (s *service) NodeUnpublishVolume(ctx context.Context, req *csi.NodeUnpublishVolumeRequest) (*csi.NodeUnpublishVolumeResponse, error) {
	if err := validateVolume(req.GetVolumeId(), req.GetTargetPath()); err != nil {
		return nil, status.Error(codes.InvalidArgument, err.Error())
	}
	key := volume.Key(req.GetVolumeId())
	end, err := s.busy.begin(key)
	if err != nil {
		return nil, err
	}
	defer end()
	if err := s.unpublish(ctx, key, req.GetTargetPath()); err != nil {
		return nil, statusOf(err)
	}
	return &csi.NodeUnpublishVolumeResponse{}, nil
}
