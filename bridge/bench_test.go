package bridge_test

import (
	"context"
	"net"
	"slices"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"

	"github.com/cosi-emu/cosi-emu/bridge"
	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// maxRatio is how many times as long as a direct call one through the bridge may take.
const maxRatio = 3

// enough is how many calls give a median that means something.
const enough = 200

// BenchmarkGrant compares a call through the bridge with a direct one to the same
// driver. The calls alternate, so that a busy machine slows both.
func BenchmarkGrant(b *testing.B) {
	driver := &oldDriver{credentials: s3Credentials()}
	dialDriver := driver.dial(b)
	direct := cosiv1alpha1.NewProvisionerClient(connect(b, dialDriver...))
	bridged := cosiv1alpha2.NewProvisionerClient(connect(b, serveBridge(b, dialDriver)...))
	if _, err := direct.DriverCreateBucket(b.Context(), &cosiv1alpha1.DriverCreateBucketRequest{Name: "bc-1"}); err != nil {
		b.Fatal(err)
	}
	old := &cosiv1alpha1.DriverGrantBucketAccessRequest{
		BucketId: "bc-1", Name: "ba-1", AuthenticationType: cosiv1alpha1.AuthenticationType_Key, Parameters: map[string]string{"tier": "gold"},
	}
	var directly, throughBridge []time.Duration
	for b.Loop() {
		directly = append(directly, timed(b, func() error {
			_, err := direct.DriverGrantBucketAccess(b.Context(), old)
			return err
		}))
		throughBridge = append(throughBridge, timed(b, func() error {
			_, err := bridged.DriverGrantBucketAccess(b.Context(), grantRequest())
			return err
		}))
	}
	ratio := float64(median(throughBridge)) / float64(median(directly))
	b.ReportMetric(float64(median(directly)), "direct-ns")
	b.ReportMetric(float64(median(throughBridge)), "bridge-ns")
	b.ReportMetric(ratio, "x")
	if len(directly) >= enough && ratio > maxRatio {
		b.Errorf("a call through the bridge takes %.1f times as long as a direct one, want at most %d", ratio, maxRatio)
	}
}

func timed(b *testing.B, call func() error) time.Duration {
	b.Helper()
	began := time.Now()
	if err := call(); err != nil {
		b.Fatal(err)
	}
	return time.Since(began)
}

func median(of []time.Duration) time.Duration {
	slices.Sort(of)
	return of[len(of)/2]
}

// serveBridge serves a bridge, and returns the options to dial it.
func serveBridge(b *testing.B, driver []grpc.DialOption) []grpc.DialOption {
	b.Helper()
	served, err := bridge.New(bridge.Options{Driver: "passthrough:driver", DialOptions: driver, Store: memory{}})
	if err != nil {
		b.Fatal(err)
	}
	listener := bufconn.Listen(1 << 20)
	ctx, cancel := context.WithCancel(b.Context())
	ended := make(chan error, 1)
	go func() { ended <- served.Serve(ctx, listener) }()
	b.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			b.Error(err)
		}
		if err := served.Close(); err != nil {
			b.Error(err)
		}
	})
	return []grpc.DialOption{grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
		return listener.DialContext(ctx)
	})}
}

func connect(b *testing.B, options ...grpc.DialOption) *grpc.ClientConn {
	b.Helper()
	conn, err := grpc.NewClient("passthrough:test", append(options, grpc.WithTransportCredentials(insecure.NewCredentials()))...)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = conn.Close() })
	return conn
}
