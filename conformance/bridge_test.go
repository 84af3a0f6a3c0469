package conformance_test

import (
	"context"
	"net"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/test/bufconn"

	"github.com/cosi-emu/cosi-emu/bridge"
	"github.com/cosi-emu/cosi-emu/conformance"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

// bridged is a driver of v1alpha1 behind a bridge.
type bridged struct {
	*driver

	state *bridge.Directory

	mu       sync.Mutex
	listener net.Listener
	end      func()
}

// serveBridge serves a bridge in front of a driver of v1alpha1 until the test ends.
func serveBridge(t *testing.T, listen func() net.Listener) *bridged {
	t.Helper()
	state, err := bridge.OpenDirectory(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := &bridged{driver: serve(t, setup{options: fakedriver.Options{Dialect: dialects.V1alpha1}}), state: state}
	b.open(listen())
	t.Cleanup(func() {
		b.close()
		if err := state.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func (b *bridged) open(listener net.Listener) {
	b.t.Helper()
	br, err := bridge.New(bridge.Options{
		Driver: "passthrough:///driver", DialOptions: []grpc.DialOption{grpc.WithContextDialer(b.dial)}, Store: b.state,
	})
	if err != nil {
		b.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var served sync.WaitGroup
	served.Go(func() {
		if err := br.Serve(ctx, listener); err != nil {
			b.t.Error(err)
		}
	})
	b.mu.Lock()
	defer b.mu.Unlock()
	b.listener, b.end = listener, func() {
		cancel()
		served.Wait()
		if err := br.Close(); err != nil {
			b.t.Error(err)
		}
	}
}

func (b *bridged) close() {
	b.mu.Lock()
	end := b.end
	b.mu.Unlock()
	end()
}

// TestBridge: over the bridge the fake driver conforms to Core, S3 and Crash-Safety, and to
// nothing that v1alpha1 does not have.
func TestBridge(t *testing.T) {
	t.Parallel()
	listen := func() net.Listener { return bufconn.Listen(1 << 20) }
	b := serveBridge(t, listen)
	config := b.config()
	config.DialOptions = []grpc.DialOption{grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
		b.mu.Lock()
		listener := b.listener.(*bufconn.Listener) //nolint:forcetypeassert // it is
		b.mu.Unlock()
		return listener.DialContext(ctx)
	})}
	config.Restart = func(ctx context.Context) error {
		b.close()
		err := b.restart(ctx)
		b.open(listen())
		return err
	}
	report := b.test(config)
	b.wantAll(report)
	const yes, no = conformance.Conformant, conformance.Unsupported
	want := map[string]string{
		"Core": yes, "S3": yes, "S3-Access-Modes": no, "Multi-Bucket": no, "ServiceAccount": no, "Azure": no, "GCS": no, "Crash-Safety": yes,
	}
	if diff := cmp.Diff(want, verdicts(report)); diff != "" {
		t.Errorf("verdicts: -want, +got:\n%s", diff)
	}
}
