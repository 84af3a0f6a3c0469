package driversocket

import (
	"context"
	"errors"
	"net"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
)

// Serve serves a driver, and grpc.health.v1, on a listener, which it closes, until ctx is done, and returns when all calls have
// ended. It cancels calls that run longer than the grace period. It returns nil unless serving failed.
func Serve(ctx context.Context, server *grpc.Server, l net.Listener, grace time.Duration) error {
	healths := health.NewServer() // everything is SERVING
	healthv1.RegisterHealthServer(server, healths)

	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	select {
	case err := <-failed:
		server.Stop()
		return err
	case <-ctx.Done():
	}
	healths.Shutdown() // NOT_SERVING, while calls in flight end
	stop(server, grace)
	if err := <-failed; !errors.Is(err, grpc.ErrServerStopped) {
		return err
	}
	return nil // the context ended before serving began
}

// stop waits for calls to end, and cancels them after the grace period.
func stop(server *grpc.Server, grace time.Duration) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		server.GracefulStop()
	}()
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
		server.Stop()
		<-done
	}
}
