// Package csi publishes inline volumes by CSI drivers, which it calls as a kubelet does.
package csi

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Driver is a driver on this node.
type Driver struct {
	// Endpoint is the socket of its services, such as unix:///path/csi.sock.
	Endpoint string
	// Object tells how to call it.
	Object *storagev1.CSIDriver
}

// Drivers are the drivers that are registered with the node.
type Drivers []Driver

// Find returns a driver by its name. The error has a kubelet's text.
func (d Drivers) Find(name string) (*Driver, error) {
	for i := range d {
		if d[i].Object.Name == name {
			return &d[i], nil
		}
	}
	return nil, fmt.Errorf("kubernetes.io/csi: mounter.SetUpAt failed to get CSI client: "+
		"driver name %s not found in the list of registered CSI drivers", name)
}

// Token is a token of the Pod's ServiceAccount.
type Token struct {
	Token   string    `json:"token"`
	Expires time.Time `json:"expirationTimestamp"`
}

// Volume is an inline volume of a Pod.
type Volume struct {
	Pod    *corev1.Pod
	Name   string
	Source *corev1.CSIVolumeSource
	// Target is the path of the volume. Its parent exists.
	Target string
	// Group is the group of the files; nil without one.
	Group *int64
	// Tokens are those that the driver requests, by their audiences.
	Tokens map[string]Token
	// Secrets are the data of the Secret that the volume names.
	Secrets map[string]string
}

// callTimeout is the time that a driver has for a call, as a kubelet's.
const callTimeout = 2 * time.Minute

// The attributes that a kubelet adds.
const (
	attributeEphemeral = "csi.storage.k8s.io/ephemeral"
	attributePod       = "csi.storage.k8s.io/pod.name"
	attributeNamespace = "csi.storage.k8s.io/pod.namespace"
	attributePodUID    = "csi.storage.k8s.io/pod.uid"
	attributeAccount   = "csi.storage.k8s.io/serviceAccount.name"
	attributeTokens    = "csi.storage.k8s.io/serviceAccount.tokens" //nolint:gosec // it is a name
)

// Publish makes the files of a volume, or brings them up to date.
func (d *Driver) Publish(ctx context.Context, v *Volume) error {
	if !slices.Contains(d.Object.Spec.VolumeLifecycleModes, storagev1.VolumeLifecycleEphemeral) {
		return fmt.Errorf("kubernetes.io/csi: mounter.SetUpAt: driver %s does not support inline volumes", d.Object.Name)
	}
	request, err := d.request(v)
	if err != nil {
		return err
	}
	return d.call(ctx, func(ctx context.Context, node csi.NodeClient) error {
		if v.Group != nil {
			if request.VolumeCapability, err = withGroup(ctx, node, request.GetVolumeCapability(), *v.Group); err != nil {
				return err
			}
		}
		_, err := node.NodePublishVolume(ctx, request)
		return err
	})
}

// Unpublish removes a volume. It is no error if there is none.
func (d *Driver) Unpublish(ctx context.Context, pod types.UID, volume, target string) error {
	return d.call(ctx, func(ctx context.Context, node csi.NodeClient) error {
		_, err := node.NodeUnpublishVolume(ctx, &csi.NodeUnpublishVolumeRequest{VolumeId: handle(pod, volume), TargetPath: target})
		return err
	})
}

// call connects for one call: the driver may have been restarted since the last one.
func (d *Driver) call(ctx context.Context, do func(context.Context, csi.NodeClient) error) (err error) {
	conn, err := grpc.NewClient(d.Endpoint, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return fmt.Errorf("connect to CSI driver %s: %w", d.Object.Name, err)
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	return do(ctx, csi.NewNodeClient(conn))
}

// handle returns the ID of an inline volume.
func handle(pod types.UID, volume string) string {
	return fmt.Sprintf("csi-%x", sha256.Sum256([]byte(string(pod)+volume)))
}

func (d *Driver) request(v *Volume) (*csi.NodePublishVolumeRequest, error) {
	attributes := maps.Clone(v.Source.VolumeAttributes)
	if attributes == nil {
		attributes = map[string]string{}
	}
	if info := d.Object.Spec.PodInfoOnMount; info != nil && *info {
		maps.Copy(attributes, map[string]string{
			attributeEphemeral: "true", attributePod: v.Pod.Name, attributeNamespace: v.Pod.Namespace,
			attributePodUID: string(v.Pod.UID), attributeAccount: v.Pod.Spec.ServiceAccountName,
		})
	}
	secrets, err := d.addTokens(attributes, v)
	if err != nil {
		return nil, err
	}
	mount := &csi.VolumeCapability_MountVolume{}
	if kind := v.Source.FSType; kind != nil {
		mount.FsType = *kind
	}
	return &csi.NodePublishVolumeRequest{
		VolumeId: handle(v.Pod.UID, v.Name), TargetPath: v.Target, VolumeContext: attributes, Secrets: secrets,
		Readonly: v.Source.ReadOnly != nil && *v.Source.ReadOnly,
		VolumeCapability: &csi.VolumeCapability{
			AccessType: &csi.VolumeCapability_Mount{Mount: mount},
			AccessMode: &csi.VolumeCapability_AccessMode{Mode: csi.VolumeCapability_AccessMode_SINGLE_NODE_WRITER},
		},
	}, nil
}

// addTokens adds the tokens to the attributes or to the secrets of a volume, which it returns.
func (d *Driver) addTokens(attributes map[string]string, v *Volume) (secrets map[string]string, err error) {
	secrets = maps.Clone(v.Secrets)
	if len(v.Tokens) == 0 {
		return secrets, nil
	}
	tokens, err := json.Marshal(v.Tokens)
	if err != nil {
		return nil, fmt.Errorf("encode the tokens for CSI driver %s: %w", d.Object.Name, err)
	}
	if in := d.Object.Spec.ServiceAccountTokenInSecrets; in == nil || !*in {
		attributes[attributeTokens] = string(tokens)
		return secrets, nil
	}
	if secrets == nil {
		secrets = map[string]string{}
	}
	secrets[attributeTokens] = string(tokens)
	return secrets, nil
}

// withGroup adds the group of the files, if the driver sets it.
func withGroup(
	ctx context.Context, node csi.NodeClient, capability *csi.VolumeCapability, group int64,
) (*csi.VolumeCapability, error) {
	response, err := node.NodeGetCapabilities(ctx, &csi.NodeGetCapabilitiesRequest{})
	if err != nil {
		return nil, err
	}
	for _, c := range response.GetCapabilities() {
		if c.GetRpc().GetType() == csi.NodeServiceCapability_RPC_VOLUME_MOUNT_GROUP {
			capability.GetMount().VolumeMountGroup = strconv.FormatInt(group, 10)
		}
	}
	return capability, nil
}
