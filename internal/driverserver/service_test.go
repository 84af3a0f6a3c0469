package driverserver_test

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/driverserver"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
	"github.com/cosi-emu/cosi-emu/test/harness"
	"github.com/cosi-emu/cosi-emu/test/harness/leaks"
)

func TestMain(m *testing.M) { leaks.Main(m) }

// run runs a service until the returned function is called, and waits until it serves.
func run(t *testing.T, opts driverserver.Options) (stop func()) {
	t.Helper()
	serving := make(chan struct{}, 1)
	opts.Logger = funcr.New(func(_, line string) {
		if strings.Contains(line, "serving") {
			serving <- struct{}{}
		}
	}, funcr.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- driverserver.Run(ctx, opts) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run() = %v", err)
		}
	})
	t.Cleanup(stop)
	select {
	case <-serving:
	case err := <-ended:
		ended <- nil
		t.Fatalf("Run() = %v", err)
	}
	return stop
}

func dial(t *testing.T, endpoint string) (cosiv1alpha2.IdentityClient, cosiv1alpha2.ProvisionerClient) {
	t.Helper()
	conn := dialConn(t, endpoint)
	return cosiv1alpha2.NewIdentityClient(conn), cosiv1alpha2.NewProvisionerClient(conn)
}

func dialConn(t *testing.T, endpoint string) *grpc.ClientConn {
	t.Helper()
	conn, err := grpc.NewClient(endpoint, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// TestRun creates a bucket, twice: data survive a restart, and the advertised address is the
// requested one.
// Spec: A1-LIFE-1
func TestRun(t *testing.T) {
	dir := harness.SocketDir(t)
	opts := driverserver.Options{
		DriverName:    "mine.example.com",
		Endpoint:      "unix://" + filepath.Join(dir, "run", "cosi.sock"),
		S3BindAddress: "127.0.0.1:0",
		S3Endpoint:    "http://mine.example.com:9000",
		S3Region:      "eu-west-1",
		DataDir:       filepath.Join(dir, "data"),
	}
	var ids []string
	for range 2 {
		stop := run(t, opts)
		identity, provisioner := dial(t, opts.Endpoint)
		info, err := identity.DriverGetInfo(t.Context(), &cosiv1alpha2.DriverGetInfoRequest{})
		if err != nil || info.GetName() != opts.DriverName {
			t.Fatalf("DriverGetInfo() = %v, %v", info, err)
		}
		created, err := provisioner.DriverCreateBucket(t.Context(), &cosiv1alpha2.DriverCreateBucketRequest{BucketId: "b-1"})
		if err != nil {
			t.Fatal(err)
		}
		s3 := created.GetProtocols().GetS3()
		if s3.GetEndpoint() != opts.S3Endpoint || s3.GetRegion() != opts.S3Region {
			t.Errorf("the bucket is said to be at %q in %q", s3.GetEndpoint(), s3.GetRegion())
		}
		ids = append(ids, s3.GetBucketId())
		stop()
	}
	if ids[0] != ids[1] {
		t.Errorf("after a restart the bucket is another one: %v", ids)
	}
}

// Spec: A1-LIFE-3
func TestRejections(t *testing.T) {
	dir := harness.SocketDir(t)
	socket := "unix://" + filepath.Join(dir, "cosi.sock")
	taken, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = taken.Close() })
	for _, tc := range []struct {
		name, reason string
		opts         driverserver.Options
		usage        bool
		says         string
	}{
		{"Name", "objects could not refer to it", driverserver.Options{DriverName: "My Driver", Endpoint: socket}, true, `"My Driver"`},
		// Spec: A1-SOCK-1
		{"Endpoint", "COSI is spoken over UNIX sockets", driverserver.Options{Endpoint: "tcp://127.0.0.1:1"}, true, "unix:///"},
		// Spec: A1-SOCK-3
		{"Suffix", "COSI requires it", driverserver.Options{Endpoint: strings.TrimSuffix(socket, ".sock")}, true, "ends in .sock"},
		{"Dialect", "no dialect of COSI", driverserver.Options{Dialect: "v1beta1", Endpoint: socket}, true, `"v1beta1": the dialects are`},
		{
			"DialectProtocols", "requests of v1alpha1 name no protocol",
			driverserver.Options{Dialect: dialects.V1alpha1, Endpoint: socket, Protocols: []fakedriver.Protocol{"", fakedriver.ProtocolAzure}},
			true, "S3, Azure",
		},
		{"NoPort", "no address", driverserver.Options{Endpoint: socket, S3BindAddress: "127.0.0.1"}, true, "host:port"},
		{"BadPort", "no number", driverserver.Options{Endpoint: socket, S3BindAddress: "127.0.0.1:http"}, true, "0 to 65535"},
		{"Everywhere", "clients cannot connect to all", driverserver.Options{Endpoint: socket, S3BindAddress: ":9000"}, true, "S3 endpoint"},
		{"EverywhereV6", "nor to those of IPv6", driverserver.Options{Endpoint: socket, S3BindAddress: "[::]:9000"}, true, "S3 endpoint"},
		{"S3Endpoint", "no URL", driverserver.Options{Endpoint: socket, S3Endpoint: "127.0.0.1:9000"}, true, "must be a URL"},
		{"S3Virtual", "no URL", driverserver.Options{Endpoint: socket, S3VirtualEndpoint: "s3.localhost"}, true, "must be a URL"},
		{"S3Region", "could not be signed for", driverserver.Options{Endpoint: socket, S3Region: "us/west"}, true, `"us/west"`},
		{"MaxAccounts", "less than none", driverserver.Options{Endpoint: socket, MaxAccounts: -1}, true, "-1 accounts"},
		{"MaxBody", "less than nothing", driverserver.Options{Endpoint: socket, MaxBodyBytes: -1}, true, "-1 bytes"},
		{"CORSOrigin", "no scheme", driverserver.Options{Endpoint: socket, S3CORSOrigins: []string{"localhost"}}, true, `origin "localhost"`},
		{"HalfTLS", "a certificate is of no use alone", driverserver.Options{Endpoint: socket, TLSCertFile: "tls.crt"}, true, "both"},
		{
			"NoCertificate", "there is no such file",
			driverserver.Options{Endpoint: socket, TLSCertFile: "missing.crt", TLSPrivateKeyFile: "missing.key"}, true, "missing.crt",
		},
		{"InUse", "another program listens there", driverserver.Options{Endpoint: socket, S3BindAddress: taken.Addr().String()}, false, "in use"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tc.opts.Logger = logr.Discard()
			tc.opts.DataDir = filepath.Join(t.TempDir(), "data")
			err := driverserver.Run(t.Context(), tc.opts)
			if err == nil || errors.Is(err, driverserver.ErrOptions) != tc.usage || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("%s: Run() = %v", tc.reason, err)
			}
			if _, err := os.Stat(tc.opts.DataDir); tc.usage && !os.IsNotExist(err) {
				t.Errorf("%s: it has made the data directory: %v", tc.reason, err)
			}
		})
	}
}
