package scenarios

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"

	"google.golang.org/grpc"

	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// inProcess is a driver in this process, with its running server, if any.
type inProcess struct {
	identity    cosiv1alpha2.IdentityServer
	provisioner cosiv1alpha2.ProvisionerServer
}

// serve starts a server. stop returns the reason for which it ended, unless stop ended it.
func (d *inProcess) serve(ctx context.Context) (endpoint string, stop func() error, err error) {
	dir, err := os.MkdirTemp("", "cosi-") // short, because the path of a socket is limited to some 100 bytes
	if err != nil {
		return "", nil, fmt.Errorf("serve the driver: %w", err)
	}
	socket := filepath.Join(dir, "driver.sock")
	listener, err := (&net.ListenConfig{}).Listen(ctx, "unix", socket)
	if err != nil {
		_ = os.RemoveAll(dir) // it is empty
		return "", nil, fmt.Errorf("serve the driver: %w", err)
	}
	server := grpc.NewServer()
	cosiv1alpha2.RegisterIdentityServer(server, d.identity)
	cosiv1alpha2.RegisterProvisionerServer(server, d.provisioner)
	var served error
	var running sync.WaitGroup
	running.Go(func() { served = server.Serve(listener) })
	return "unix://" + socket, func() error {
		server.Stop()
		running.Wait()
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
		return served
	}, nil
}
