package conformance_test

import (
	"context"
	"flag"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/test/bufconn"

	"github.com/cosi-emu/cosi-emu/conformance"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/pipeline"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3"
	"github.com/cosi-emu/cosi-emu/internal/driverserver/outage"
	"github.com/cosi-emu/cosi-emu/internal/store"
	"github.com/cosi-emu/cosi-emu/test/harness/leaks"
)

// atATime is the number of drivers that are tested at the same time, unless -parallel is set. Most of
// the time they wait.
const atATime = "8"

func TestMain(m *testing.M) {
	if os.Getenv(roleVariable) != "" {
		beDriver()
		return
	}
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if !given {
		if err := flag.Set("test.parallel", atATime); err != nil {
			panic(err)
		}
	}
	leaks.Main(m)
}

// existing is a bucket that the drivers of the tests did not create.
const existing = "legacy"

// setup is a driver for a test: the fake driver, and how it differs.
type setup struct {
	options fakedriver.Options
	// behaviour returns how a new process handles calls. The state outlives processes.
	behaviour func(state *sync.Map) behaviour
	// service wraps the S3 service.
	service func(d *driver, next http.Handler) http.Handler
	// gcs wraps the GCS service.
	gcs func(d *driver, next http.Handler) http.Handler
	// parameters changes the author's parameters.
	parameters func(*conformance.Parameters)
	// secret returns the secret of an account, instead of a random one.
	secret func(account string) string
	// azure wraps the Azure service.
	azure func(d *driver, next http.Handler) http.Handler
	// outages is a directory whose files define how the backend fails. Default: an empty one.
	outages string
	// socket has the driver listen on a UNIX socket, instead of in memory.
	socket bool
}

// driver is a fake driver with its object stores.
type driver struct {
	t       *testing.T
	setup   setup
	options fakedriver.Options
	state   sync.Map
	backend *store.Store

	gcsEndpoint string

	mu       sync.Mutex
	listener *bufconn.Listener
	endpoint string
	stop     func()
}

// serve serves a driver until the test ends.
func serve(t *testing.T, s setup) *driver {
	t.Helper()
	secrets := &secretSource{of: s.secret}
	backend, err := store.New(store.Options{Rand: secrets})
	if err != nil {
		t.Fatal(err)
	}
	if s.outages == "" {
		s.outages = t.TempDir()
	}
	trouble := outage.New(s.outages, backend)
	d := &driver{t: t, setup: s, options: s.options, backend: backend}
	s3, err := s3.New(s3.Options{Options: pipeline.Options{Store: backend}})
	if err != nil {
		t.Fatal(err)
	}
	handler := trouble.Handler(s3)
	if s.service != nil {
		handler = s.service(d, handler)
	}
	service := httptest.NewServer(handler)
	others := fakedriver.BucketSpec{Name: existing, Owner: "others"}
	if len(s.options.Protocols) > 0 {
		others.Protocol = s.options.Protocols[0]
	}
	if _, err := backend.CreateBucket(t.Context(), others); err != nil {
		t.Fatal(err)
	}
	d.options.Endpoint, d.options.Region = service.URL, backend.Region()
	if d.options.Backend == nil {
		d.options.Backend = trouble.Backend(backend)
	}
	d.serveGCS()
	d.serveAzure()
	if s.secret != nil {
		d.options.Backend = &secretive{Backend: d.options.Backend, source: secrets}
	}
	d.endpoint = "unix://" + filepath.Join(t.TempDir(), "d.sock")
	d.start()
	t.Cleanup(func() {
		d.stop()
		service.Close()
		if err := backend.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func (d *driver) serves(p fakedriver.Protocol) bool { return slices.Contains(d.options.Protocols, p) }

func (d *driver) serveGCS() {
	d.t.Helper()
	if !d.serves(fakedriver.ProtocolGCS) {
		return
	}
	service, err := gcs.New(gcs.Options{Options: pipeline.Options{Store: d.backend}})
	if err != nil {
		d.t.Fatal(err)
	}
	handler := service.Handler()
	if d.setup.gcs != nil {
		handler = d.setup.gcs(d, handler)
	}
	server := httptest.NewServer(handler)
	d.t.Cleanup(server.Close)
	d.gcsEndpoint = server.URL
}

// leftovers are the buckets and accounts of the suite that the store has.
func (d *driver) leftovers() []string {
	d.t.Helper()
	ctx := context.WithoutCancel(d.t.Context())
	buckets, err := d.backend.Buckets(ctx)
	if err != nil {
		d.t.Fatal(err)
	}
	accounts, err := d.backend.Accounts(ctx)
	if err != nil {
		d.t.Fatal(err)
	}
	var names []string
	for _, b := range buckets {
		if b.Name != existing {
			names = append(names, "bucket "+b.Name)
		}
	}
	for _, a := range accounts {
		if !a.Admin {
			names = append(names, "account "+a.ID)
		}
	}
	return names
}

func (d *driver) start() {
	options := d.options
	if d.setup.behaviour != nil {
		options.ServerOptions = append(options.ServerOptions, grpc.ChainUnaryInterceptor(intercept(d.setup.behaviour(&d.state))))
	}
	server, err := fakedriver.New(options)
	if err != nil {
		d.t.Fatal(err)
	}
	memory := bufconn.Listen(1 << 20)
	var listener net.Listener = memory
	if d.setup.socket {
		if listener, err = fakedriver.Listen(d.endpoint); err != nil {
			d.t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	var served sync.WaitGroup
	served.Go(func() { _ = server.Serve(ctx, listener) })
	d.mu.Lock()
	defer d.mu.Unlock()
	d.listener, d.stop = memory, func() { cancel(); served.Wait() }
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
	config := conformance.Config{
		Endpoint: "passthrough:///driver", DialOptions: []grpc.DialOption{grpc.WithContextDialer(d.dial)},
		Restart: d.restart, AllowDestructive: true, Seed: "test",
		// No right driver needs them: they are for machines that do other things, too.
		Timeout: 3 * time.Minute, CallTimeout: 20 * time.Second, Settle: time.Second,
		Parameters: conformance.Parameters{
			Bucket: map[string]string{"note": "first"}, Incompatible: map[string]string{"note": "second"},
			Access: map[string]string{"note": "first"}, IncompatibleAccess: map[string]string{"note": "second"},
			ExistingBucket: existing, NonEmptyDeletion: "reject", GCSEndpoint: d.gcsEndpoint, AzureEndpoint: d.options.AzureEndpoint,
		},
	}
	if d.setup.socket {
		config.Endpoint, config.DialOptions = d.endpoint, nil
	}
	if d.setup.parameters != nil {
		d.setup.parameters(&config.Parameters)
	}
	return config
}

// test runs the suite.
func (d *driver) test(config conformance.Config) *conformance.Report {
	d.t.Helper()
	report, err := conformance.Execute(d.t.Context(), config)
	if err != nil {
		d.t.Fatal(err)
	}
	return report
}

// wantAll fails the test unless each check passes or does not apply, and nothing is left.
func (d *driver) wantAll(report *conformance.Report) {
	d.t.Helper()
	for _, result := range report.Results {
		if result.State != conformance.Pass && result.State != conformance.NotSupported {
			d.t.Error(result.Explain())
		}
		if len(result.Leftovers) > 0 {
			d.t.Errorf("%s: leftovers %v", result.Check.ID, result.Leftovers)
		}
	}
	if left := d.leftovers(); len(left) > 0 {
		d.t.Errorf("the backend has leftovers: %v", left)
	}
}

// verdicts are the verdicts by profile.
func verdicts(report *conformance.Report) map[string]string {
	all := map[string]string{}
	for _, v := range report.Verdicts {
		all[v.Profile] = v.Verdict
	}
	return all
}

// purging returns a copy of the parameters of a bucket which is deleted with its objects.
func purging(parameters map[string]string) map[string]string {
	all := map[string]string{}
	maps.Copy(all, parameters)
	all["nonEmptyDeletion"] = "purge"
	return all
}
