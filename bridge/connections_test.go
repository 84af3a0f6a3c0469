package bridge_test

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"

	"github.com/cosi-emu/cosi-emu/bridge"
	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// TestDriverRestart: callers lose their connection with that to the driver, and can
// connect again.
func TestDriverRestart(t *testing.T) {
	driver := &oldDriver{}
	listener, server := bufconn.Listen(1<<20), grpc.NewServer()
	cosiv1alpha1.RegisterIdentityServer(server, driver)
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	b := newBridge(t, bridge.Options{DialOptions: dialing(listener)})
	front := bufconn.Listen(1 << 20)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- b.Serve(ctx, front) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	conn, err := grpc.NewClient("passthrough:bridge", append(dialing(front), grpc.WithTransportCredentials(insecure.NewCredentials()))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	identity := cosiv1alpha2.NewIdentityClient(conn)
	if _, err := identity.DriverGetInfo(t.Context(), &cosiv1alpha2.DriverGetInfoRequest{}); err != nil {
		t.Fatal(err)
	}
	server.Stop()
	if err := <-served; err != nil {
		t.Error(err)
	}
	limited := harness.Context(t)
	if conn.GetState() == connectivity.Ready && !conn.WaitForStateChange(limited, connectivity.Ready) {
		t.Fatal("the driver has ended, and the connection to the bridge has not")
	}
	conn.Connect()
	for state := conn.GetState(); state != connectivity.Ready; state = conn.GetState() {
		if !conn.WaitForStateChange(limited, state) {
			t.Fatalf("the connection to the bridge is %s, want READY again", state)
		}
	}
}

// TestCallWhileDriverIsAway: a call waits for a driver that starts within a second, and
// fails if it does not.
func TestCallWhileDriverIsAway(t *testing.T) {
	for name, tc := range map[string]struct {
		after time.Duration
		want  codes.Code
	}{
		"Restart": {850 * time.Millisecond, codes.OK},
		"Outage":  {1050 * time.Millisecond, codes.Unavailable},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				listener, server := bufconn.Listen(1<<20), grpc.NewServer()
				cosiv1alpha1.RegisterIdentityServer(server, &oldDriver{})
				var up atomic.Bool
				b := newBridge(t, bridge.Options{DialOptions: []grpc.DialOption{
					grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
						if !up.Load() {
							return nil, net.ErrClosed
						}
						return listener.DialContext(ctx)
					}),
				}})
				var serving sync.WaitGroup
				start := time.AfterFunc(tc.after, func() {
					up.Store(true)
					serving.Go(func() { _ = server.Serve(listener) })
				})
				began := time.Now()
				_, err := b.DriverGetInfo(t.Context(), &cosiv1alpha2.DriverGetInfoRequest{})
				if status.Code(err) != tc.want || time.Since(began) > time.Second {
					t.Errorf("got %v after %s, want %s within a second", err, time.Since(began), tc.want)
				}
				start.Stop()
				server.Stop()
				serving.Wait()
			})
		})
	}
}

func dialing(l *bufconn.Listener) []grpc.DialOption {
	return []grpc.DialOption{grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return l.DialContext(ctx) })}
}
