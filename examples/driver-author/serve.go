package driver

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strings"

	"google.golang.org/grpc"

	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// Serve serves the driver at an endpoint, unix:///path, until the context is done and the calls in
// progress have been answered. It replaces the socket of a killed process.
func (d *Driver) Serve(ctx context.Context, endpoint string) error {
	path, isUnix := strings.CutPrefix(endpoint, "unix://")
	if !isUnix || path == "" {
		return fmt.Errorf("endpoint %q must have the form unix:///path/to/driver.sock", endpoint)
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("replace the socket: %w", err)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "unix", path)
	if err != nil {
		return err
	}
	server := grpc.NewServer()
	cosiv1alpha2.RegisterIdentityServer(server, d)
	cosiv1alpha2.RegisterProvisionerServer(server, d)
	defer context.AfterFunc(ctx, server.GracefulStop)()
	return server.Serve(listener)
}
