package emulator

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/cosi-emu/cosi-emu/deploy"
	"github.com/cosi-emu/cosi-emu/internal/component"
	"github.com/cosi-emu/cosi-emu/internal/node"
	"github.com/cosi-emu/cosi-emu/internal/node/volume"
	"github.com/cosi-emu/cosi-emu/internal/pods"
	"github.com/cosi-emu/cosi-emu/internal/pods/csi"
	"github.com/cosi-emu/cosi-emu/internal/seam"
)

// adapterTimeout is how long the node adapter waits for an access before the Pod gets an Event with the cause.
const adapterTimeout = 2 * time.Second

// startNodeAdapter starts the CSI driver of the node, with the rights of deploy/node.
func (e *Emulator) startNodeAdapter(ctx context.Context) error {
	files, err := deploy.NodeRBAC()
	if err != nil {
		return err
	}
	if err := e.applyFiles(ctx, files); err != nil {
		return err
	}
	config, err := e.nodeAdapterUser()
	if err != nil {
		return err
	}
	endpoint, err := e.nodeEndpoint()
	if err != nil {
		return err
	}
	state, err := filepath.Abs(filepath.Join(e.info.Dir, "node-adapter"))
	if err != nil {
		return err
	}
	return e.startComponent(ctx, ComponentNodeAdapter, func(_ context.Context, i *seam.Incarnation) (component.Runner, error) {
		return node.New(i.RESTConfig(config), node.Options{ //nolint:contextcheck // it outlives the start
			Endpoint: endpoint, NodeName: pods.Name, StateDir: state, Medium: volume.Disk, API: e.opts.API,
			ReadyTimeout: adapterTimeout, Logger: e.logger(i),
		})
	})
}

// nodeAdapterUser returns a client configuration with an address, with which the adapter also acts for Pods.
func (e *Emulator) nodeAdapterUser() (*rest.Config, error) {
	user := "system:serviceaccount:" + deploy.NodeNamespace + ":" + deploy.NodeServiceAccount
	config, err := e.plane.UserConfig(user, "system:serviceaccounts", "system:serviceaccounts:"+deploy.NodeNamespace)
	if err != nil {
		return nil, fmt.Errorf("make credentials for the node adapter: %w", err)
	}
	config = rest.CopyConfig(config)
	config.QPS = -1 // no other client uses this API server
	return config, nil
}

// nodeEndpoint returns the socket of the node adapter.
func (e *Emulator) nodeEndpoint() (string, error) {
	socket, err := filepath.Abs(filepath.Join(e.info.Dir, "run", "csi.sock"))
	return "unix://" + socket, err
}

// nodeDriver returns the node adapter as the node calls it.
func (e *Emulator) nodeDriver() (csi.Driver, error) {
	file, err := deploy.NodeDriver()
	if err != nil {
		return csi.Driver{}, err
	}
	object := &storagev1.CSIDriver{}
	if err := yaml.UnmarshalStrict(file.Data, object); err != nil {
		return csi.Driver{}, fmt.Errorf("%s: %w", file.Name, err)
	}
	endpoint, err := e.nodeEndpoint()
	return csi.Driver{Endpoint: endpoint, Object: object}, err
}
