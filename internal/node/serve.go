package node

import (
	"context"
	"errors"
	"time"

	"google.golang.org/grpc"

	"github.com/cosi-emu/cosi-emu/internal/driversocket"
)

// stopTimeout is the time for which calls in flight may take until the adapter ends.
const stopTimeout = 5 * time.Second

// serveUntilDone serves on a socket until ctx is done. Then calls in flight may end. It calls listening
// once clients can connect.
func serveUntilDone(ctx context.Context, server *grpc.Server, endpoint string, listening func()) error {
	listener, err := driversocket.Listen(endpoint) //nolint:contextcheck // it is bounded by itself
	if err != nil {
		return err
	}
	listening()
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	timer := time.AfterFunc(stopTimeout, server.Stop)
	defer timer.Stop()
	server.GracefulStop()
	if err := <-served; err != nil && !errors.Is(err, grpc.ErrServerStopped) {
		return err
	}
	return nil
}
