package csi_test

import (
	"context"
	"fmt"
	"maps"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	podscsi "github.com/cosi-emu/cosi-emu/internal/pods/csi"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// node is a driver that remembers its calls.
type node struct {
	csi.UnimplementedNodeServer

	published   *csi.NodePublishVolumeRequest
	unpublished *csi.NodeUnpublishVolumeRequest
}

// NodeGetCapabilities implements csi.NodeServer.
func (*node) NodeGetCapabilities(context.Context, *csi.NodeGetCapabilitiesRequest) (*csi.NodeGetCapabilitiesResponse, error) {
	group := &csi.NodeServiceCapability_RPC{Type: csi.NodeServiceCapability_RPC_VOLUME_MOUNT_GROUP}
	return &csi.NodeGetCapabilitiesResponse{Capabilities: []*csi.NodeServiceCapability{
		{Type: &csi.NodeServiceCapability_Rpc{Rpc: group}},
	}}, nil
}

// NodePublishVolume implements csi.NodeServer.
func (n *node) NodePublishVolume(_ context.Context, r *csi.NodePublishVolumeRequest) (*csi.NodePublishVolumeResponse, error) {
	n.published = r
	return &csi.NodePublishVolumeResponse{}, nil
}

// NodeUnpublishVolume implements csi.NodeServer.
func (n *node) NodeUnpublishVolume(_ context.Context, r *csi.NodeUnpublishVolumeRequest) (*csi.NodeUnpublishVolumeResponse, error) {
	n.unpublished = r
	return &csi.NodeUnpublishVolumeResponse{}, nil
}

func serve(t *testing.T) (*node, string) {
	t.Helper()
	n, server := &node{}, grpc.NewServer()
	csi.RegisterNodeServer(server, n)
	socket := filepath.Join(harness.SocketDir(t), "csi.sock")
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	harness.ServeOn(t, server, listener)
	return n, "unix://" + socket
}

// TestPublish has the requests that a kubelet sends.
func TestPublish(t *testing.T) {
	n, endpoint := serve(t)
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web", UID: "u-1"}, Spec: corev1.PodSpec{ServiceAccountName: "app"},
	}
	tokens := map[string]podscsi.Token{"": {Token: "t-1", Expires: time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)}}
	const encoded = `{"":{"token":"t-1","expirationTimestamp":"2030-01-02T03:04:05Z"}}`
	info := map[string]string{
		"csi.storage.k8s.io/ephemeral": "true", "csi.storage.k8s.io/pod.name": "web", "csi.storage.k8s.io/pod.namespace": "shop",
		"csi.storage.k8s.io/pod.uid": "u-1", "csi.storage.k8s.io/serviceAccount.name": "app", "a": "b",
	}
	with := func(key, value string) map[string]string {
		all := maps.Clone(info)
		all[key] = value
		return all
	}
	for name, test := range map[string]struct {
		spec                storagev1.CSIDriverSpec
		group               *int64
		attributes, secrets map[string]string
	}{
		"Plain": {
			attributes: map[string]string{"a": "b", "csi.storage.k8s.io/serviceAccount.tokens": encoded},
			secrets:    map[string]string{"s": "1"},
		},
		"PodInfo": {storagev1.CSIDriverSpec{PodInfoOnMount: new(true)}, new(int64(7)), with("csi.storage.k8s.io/serviceAccount.tokens", encoded), map[string]string{"s": "1"}},                                //nolint:lll // one case a line
		"Secrets": {storagev1.CSIDriverSpec{PodInfoOnMount: new(true), ServiceAccountTokenInSecrets: new(true)}, nil, info, map[string]string{"s": "1", "csi.storage.k8s.io/serviceAccount.tokens": encoded}}, //nolint:lll // as above
	} {
		t.Run(name, func(t *testing.T) {
			test.spec.VolumeLifecycleModes = []storagev1.VolumeLifecycleMode{storagev1.VolumeLifecycleEphemeral}
			driver := podscsi.Driver{Endpoint: endpoint, Object: &storagev1.CSIDriver{Spec: test.spec}}
			v := &podscsi.Volume{
				Pod: pod, Name: "photos", Target: "/target", Group: test.group, Tokens: tokens, Secrets: map[string]string{"s": "1"},
				Source: &corev1.CSIVolumeSource{ReadOnly: new(true), VolumeAttributes: map[string]string{"a": "b"}},
			}
			if err := driver.Publish(t.Context(), v); err != nil {
				t.Fatal(err)
			}
			got := n.published
			if diff := cmp.Diff(test.attributes, got.GetVolumeContext()); diff != "" {
				t.Errorf("volume context (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.secrets, got.GetSecrets()); diff != "" {
				t.Errorf("secrets (-want +got):\n%s", diff)
			}
			group := got.GetVolumeCapability().GetMount().GetVolumeMountGroup()
			if (group == "7") != (test.group != nil) || !got.GetReadonly() || got.GetTargetPath() != "/target" {
				t.Errorf("request %v", got)
			}
			if err := driver.Unpublish(t.Context(), pod.UID, "photos", "/target"); err != nil {
				t.Fatal(err)
			}
			if n.unpublished.GetVolumeId() != got.GetVolumeId() || !strings.HasPrefix(got.GetVolumeId(), "csi-") {
				t.Errorf("the IDs %q and %q differ", got.GetVolumeId(), n.unpublished.GetVolumeId())
			}
		})
	}
}

// TestErrors has drivers that cannot be called.
func TestErrors(t *testing.T) {
	t.Parallel()
	if _, err := (podscsi.Drivers{}).Find("other"); err == nil || !strings.Contains(fmt.Sprint(err), "driver name other not found") {
		t.Errorf("error %v", err)
	}
	persistent := podscsi.Driver{Object: &storagev1.CSIDriver{}}
	err := persistent.Publish(t.Context(), &podscsi.Volume{Source: &corev1.CSIVolumeSource{}})
	if err == nil || !strings.Contains(err.Error(), "does not support inline volumes") {
		t.Errorf("error %v", err)
	}
}
