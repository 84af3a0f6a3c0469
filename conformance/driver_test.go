package conformance_test

import (
	"context"
	"net"
	"net/http/httptest"
	"os"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/test/bufconn"

	"github.com/cosi-emu/cosi-emu/conformance"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/outage"
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/store"
	"github.com/cosi-emu/cosi-emu/test/harness/leaks"
)

func TestMain(m *testing.M) {
	if os.Getenv(roleVariable) != "" {
		beDriver()
		return
	}
	leaks.Main(m)
}

// existing is a bucket that the drivers of the tests did not create.
const existing = "legacy"

// driver is a fake driver with an S3 service, over a connection in memory. What it does
// wrong is in the interceptor, which lives as long as one process would.
type driver struct {
	t           *testing.T
	options     fakedriver.Options
	interceptor func() grpc.UnaryServerInterceptor

	mu       sync.Mutex
	listener *bufconn.Listener
	stop     func()
}

// serve serves a driver until the test ends.
func serve(t *testing.T, options fakedriver.Options, interceptor func() grpc.UnaryServerInterceptor) *driver {
	t.Helper()
	return serveWithOutages(t, options, interceptor, t.TempDir())
}

// serveWithOutages serves a driver whose backend fails as the files of a directory say.
func serveWithOutages(
	t *testing.T, options fakedriver.Options, interceptor func() grpc.UnaryServerInterceptor, outages string,
) *driver {
	t.Helper()
	backend, err := store.New(store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	trouble := outage.New(outages, backend)
	service := httptest.NewServer(trouble.Middleware(backend.Handler()))
	if _, err := backend.CreateBucket(t.Context(), fakedriver.BucketSpec{Name: existing, Owner: "others"}); err != nil {
		t.Fatal(err)
	}
	options.Endpoint, options.Region = service.URL, backend.Region()
	if options.Backend == nil {
		options.Backend = trouble.Backend(backend)
	}
	d := &driver{t: t, options: options, interceptor: interceptor}
	d.start()
	t.Cleanup(func() {
		d.stop()
		if names := leftovers(t, backend); len(names) != 0 {
			t.Logf("left: %v", names)
		}
		service.Close()
		if err := backend.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// leftovers are the buckets of the suite that a store has.
func leftovers(t *testing.T, s *store.Store) []string {
	t.Helper()
	buckets, err := s.Buckets(context.WithoutCancel(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, b := range buckets {
		if b.Name != existing {
			names = append(names, b.Name)
		}
	}
	return names
}

func (d *driver) start() {
	options := d.options
	if d.interceptor != nil {
		options.ServerOptions = append(options.ServerOptions, grpc.ChainUnaryInterceptor(d.interceptor()))
	}
	server, err := fakedriver.New(options)
	if err != nil {
		d.t.Fatal(err)
	}
	listener := bufconn.Listen(1 << 20)
	ctx, cancel := context.WithCancel(context.Background())
	var served sync.WaitGroup
	served.Go(func() { _ = server.Serve(ctx, listener) })
	d.mu.Lock()
	defer d.mu.Unlock()
	d.listener, d.stop = listener, func() { cancel(); served.Wait() }
}

func (d *driver) restart(context.Context) error {
	d.stop()
	d.start()
	return nil
}

func (d *driver) dial(ctx context.Context, _ string) (net.Conn, error) {
	d.mu.Lock()
	listener := d.listener
	d.mu.Unlock()
	return listener.DialContext(ctx)
}

// config is the configuration with which all checks apply.
func (d *driver) config() conformance.Config {
	return conformance.Config{
		Endpoint: "passthrough:///driver", DialOptions: []grpc.DialOption{grpc.WithContextDialer(d.dial)},
		Restart: d.restart, AllowDestructive: true, Seed: "test",
		Timeout: 10 * time.Second, CallTimeout: 2 * time.Second, Settle: 200 * time.Millisecond,
		Parameters: conformance.Parameters{
			Bucket: map[string]string{"note": "first"}, Incompatible: map[string]string{"note": "second"}, ExistingBucket: existing,
		},
	}
}
