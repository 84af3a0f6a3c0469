package node

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/testing/protocmp"
	registration "k8s.io/kubelet/pkg/apis/pluginregistration/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	cosimanager "github.com/cosi-emu/cosi-emu/internal/reconcile/manager"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

func dial(t *testing.T, endpoint string) *grpc.ClientConn {
	t.Helper()
	conn, err := grpc.NewClient(endpoint, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	})
	return conn
}

// TestAdapter plays the kubelet: it registers the driver, and publishes and removes a volume.
// Design: CSI-RPC-3, CSI-LIFECYCLE-4, CK-COMM-4
func TestAdapter(t *testing.T) {
	s := newScene(t, objectstorage.V1alpha2)
	s.options.RegistrationDir = harness.SocketDir(t)
	s.hasAll()
	adapter, err := New(s.config, s.options)
	s.Must(err)
	s.Start(adapter)

	identity := csi.NewIdentityClient(dial(t, s.options.Endpoint))
	probe, err := identity.Probe(t.Context(), &csi.ProbeRequest{})
	if err != nil || probe.GetReady().GetValue() || adapter.checkRegistered(nil) == nil {
		t.Errorf("Probe before the registration: %v, %v; want not ready", probe, err)
	}
	registrar := registration.NewRegistrationClient(dial(t, "unix://"+filepath.Join(s.options.RegistrationDir, DefaultDriverName+"-reg.sock")))
	info, err := registrar.GetInfo(t.Context(), &registration.InfoRequest{}, grpc.WaitForReady(true))
	s.Must(err)
	want := &registration.PluginInfo{
		Type: "CSIPlugin", Name: DefaultDriverName, Endpoint: strings.TrimPrefix(s.options.Endpoint, "unix://"),
		SupportedVersions: []string{"1.0.0"},
	}
	if diff := cmp.Diff(want, info, protocmp.Transform()); diff != "" {
		t.Errorf("GetInfo (-want +got):\n%s", diff)
	}
	_, err = registrar.NotifyRegistrationStatus(t.Context(), &registration.RegistrationStatus{PluginRegistered: true})
	s.Must(err)
	probe, err = identity.Probe(t.Context(), &csi.ProbeRequest{})
	if err != nil || !probe.GetReady().GetValue() || adapter.checkRegistered(nil) != nil {
		t.Errorf("Probe after the registration: %v, %v; want ready", probe, err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "/healthz", http.NoBody)
	s.Must(errors.Join(err, adapter.checkServing(request)))

	node := csi.NewNodeClient(dial(t, s.options.Endpoint))
	_, err = node.NodePublishVolume(t.Context(), s.request())
	s.Must(err)
	s.expectUsed()
	_, err = node.NodeUnpublishVolume(t.Context(), &csi.NodeUnpublishVolumeRequest{VolumeId: s.volumeID, TargetPath: s.target})
	s.Must(err)
	s.expectNothingLeft()
}

// TestRegistrationRejected: the adapter ends with the reason of the kubelet.
func TestRegistrationRejected(t *testing.T) {
	s := newScene(t, objectstorage.V1alpha2)
	s.options.RegistrationDir = harness.SocketDir(t)
	adapter, err := New(s.config, s.options)
	s.Must(err)
	run := s.Launch(adapter)
	registrar := registration.NewRegistrationClient(dial(t, "unix://"+filepath.Join(s.options.RegistrationDir, DefaultDriverName+"-reg.sock")))
	rejection := &registration.RegistrationStatus{Error: "unsupported version"}
	_, err = registrar.NotifyRegistrationStatus(t.Context(), rejection, grpc.WaitForReady(true))
	s.Must(err)
	if err := harness.Receive(t, "the end of the adapter", run.Ended); err == nil || !strings.Contains(err.Error(), "unsupported version") {
		t.Errorf("the adapter ended with %v", err)
	}
}

// TestOtherVersion: an adapter does not start in a cluster with the kinds of another version.
func TestOtherVersion(t *testing.T) {
	s := newScene(t, objectstorage.V1alpha2)
	options := s.options
	options.API = objectstorage.V1alpha1
	adapter, err := New(s.config, options)
	s.Must(err)
	if err := adapter.Start(t.Context()); !errors.Is(err, cosimanager.ErrNotServed) {
		t.Errorf("the adapter ended with %v", err)
	}
}

// TestSweeps: a running adapter sweeps by itself.
func TestSweeps(t *testing.T) {
	s := newScene(t, objectstorage.V1alpha2)
	s.hasAll()
	s.Must(s.publish(s.service()))
	s.Remove(s.pod)
	adapter, err := New(s.config, s.options)
	s.Must(err)
	s.Start(adapter)
	harness.Eventually(t, "the volume of the gone Pod is removed", func(context.Context) error {
		if len(s.users()) > 0 {
			return errors.New("the access has a mark")
		}
		records, err := adapter.service.records.List()
		if err == nil && len(records) > 0 {
			err = errors.New("the volume has a record")
		}
		return err
	})
	s.expectNothingLeft()
}

func TestValidate(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*Options)
		want   string
	}{
		"NodeName":        {func(o *Options) { o.NodeName = "" }, `the node name "" must be the name of a Node`},
		"Endpoint":        {func(o *Options) { o.Endpoint = "tcp://:1" }, "must be the absolute path of a UNIX socket"},
		"StateDir":        {func(o *Options) { o.StateDir = "state" }, `the state directory "state" must be an absolute path`},
		"RegistrationDir": {func(o *Options) { o.RegistrationDir = "here" }, `the registration directory "here" must be an absolute path`},
		"DriverName":      {func(o *Options) { o.DriverName = "a b" }, `the driver name "a b" must be a DNS name`},
		"Medium":          {func(o *Options) { o.Medium = "tape" }, `"tape": it must be memory or disk`},
		"API":             {func(o *Options) { o.API = "v1" }, "must be v1alpha1 or v1alpha2"},
		"ReadyTimeout":    {func(o *Options) { o.ReadyTimeout = -1 }, "must be positive"},
	} {
		t.Run(name, func(t *testing.T) {
			options := Options{NodeName: nodeName, Endpoint: DefaultEndpoint, StateDir: DefaultStateDir, RegistrationDir: DefaultRegistrationDir}
			if err := options.Validate(); err != nil {
				t.Fatal(err)
			}
			tc.change(&options)
			if err := options.Validate(); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("the error is %v, want %q", err, tc.want)
			}
		})
	}
}
