package node

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"google.golang.org/grpc"
	registration "k8s.io/kubelet/pkg/apis/pluginregistration/v1"
)

// csiVersion is the version of CSI, in the form that the kubelet expects.
const csiVersion = "1.0.0"

// registrar answers the kubelet, which finds its socket, and asks for the driver behind it.
type registrar struct {
	registration.UnimplementedRegistrationServer

	name, endpoint string
	registered     func()
	failed         chan<- error
}

// register serves the registration, if there is a directory for it.
func (a *Adapter) register(ctx context.Context) error {
	if a.options.RegistrationDir == "" {
		return nil
	}
	select {
	case <-a.listening: // the kubelet connects at once
	case <-ctx.Done():
		return nil
	}
	failed := make(chan error, 1)
	server := grpc.NewServer()
	registration.RegisterRegistrationServer(server, registrar{
		name: a.options.DriverName, endpoint: strings.TrimPrefix(strings.TrimPrefix(a.options.Endpoint, "unix:"), "//"),
		registered: func() { a.registered.Store(true) }, failed: failed,
	})
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	served := make(chan error, 1)
	go func() { served <- serveUntilDone(ctx, server, a.registrationEndpoint(), func() {}) }()
	select {
	case err := <-served:
		return err
	case err := <-failed:
		cancel(err)
		return errors.Join(err, <-served)
	}
}

func (a *Adapter) registrationEndpoint() string {
	return "unix://" + filepath.Join(a.options.RegistrationDir, a.options.DriverName+"-reg.sock")
}

// GetInfo implements registration.RegistrationServer.
func (r registrar) GetInfo(context.Context, *registration.InfoRequest) (*registration.PluginInfo, error) {
	return &registration.PluginInfo{
		Type: registration.CSIPlugin, Name: r.name, Endpoint: r.endpoint, SupportedVersions: []string{csiVersion},
	}, nil
}

// NotifyRegistrationStatus implements registration.RegistrationServer. An adapter that the kubelet rejects ends, so that
// the state of its Pod shows the failure, and the kubelet tries again.
func (r registrar) NotifyRegistrationStatus(
	_ context.Context, status *registration.RegistrationStatus,
) (*registration.RegistrationStatusResponse, error) {
	if status.GetPluginRegistered() {
		r.registered()
		return &registration.RegistrationStatusResponse{}, nil
	}
	select {
	case r.failed <- fmt.Errorf("%w of %s: %s", errUnregistered, r.name, status.GetError()):
	default:
	}
	return &registration.RegistrationStatusResponse{}, nil
}
