package driverserver_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/driverserver"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

func gcsOptions(t *testing.T) driverserver.Options {
	t.Helper()
	dir := harness.SocketDir(t)
	return driverserver.Options{
		Endpoint: "unix://" + filepath.Join(dir, "cosi.sock"), S3BindAddress: "127.0.0.1:0", GCSBindAddress: harness.FreeAddress(t),
		Protocols: []fakedriver.Protocol{fakedriver.ProtocolGCS}, DataDir: filepath.Join(dir, "data"),
	}
}

// oldObject is a file in the directory gcs of an earlier version.
const oldObject = `{"name":"old","generation":"1700000000000001","metageneration":"1","size":"5","crc32c":"mnG7TA==",` +
	`"storageClass":"STANDARD","timeCreated":"2025-01-02T03:04:05Z","updated":"2025-01-02T03:04:05Z"}` + "\nhello"

// TestOldGCS starts with a data directory of an earlier version: its objects are moved, or the
// error names the damaged file.
func TestOldGCS(t *testing.T) {
	opts := gcsOptions(t)
	stop := run(t, opts)
	_, provisioner := dial(t, opts.Endpoint)
	if _, err := provisioner.DriverCreateBucket(t.Context(), &cosiv1alpha2.DriverCreateBucketRequest{BucketId: "photos"}); err != nil {
		t.Fatal(err)
	}
	stop()
	file := filepath.Join(opts.DataDir, "gcs", "photos", "0123")
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(oldObject[:100]), 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := driverserver.Run(t.Context(), opts); err == nil || !strings.Contains(err.Error(), file+" is damaged") {
		t.Errorf("Run() with a damaged object: %v", err)
	}
	if err := os.WriteFile(file, []byte(oldObject), 0o600); err != nil {
		t.Fatal(err)
	}
	stop = run(t, opts)
	defer stop()
	_, provisioner = dial(t, opts.Endpoint)
	status, body := ask(t.Context(), t, http.MethodGet, "http://"+opts.GCSBindAddress+"/photos/old", grantGCS(t.Context(), t, provisioner))
	if status != http.StatusOK || body != "hello" {
		t.Errorf("the object of an earlier version: %d %s", status, body)
	}
	if _, err := os.Stat(filepath.Join(opts.DataDir, "gcs")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the directory is there after the move: %v", err)
	}
}

// TestGCS keeps an object of GCS over a restart.
func TestGCS(t *testing.T) {
	opts := gcsOptions(t)
	ctx := t.Context()
	for life, method := range []string{http.MethodPost, http.MethodGet} {
		stop := run(t, opts)
		_, provisioner := dial(t, opts.Endpoint)
		created, err := provisioner.DriverCreateBucket(ctx, &cosiv1alpha2.DriverCreateBucketRequest{BucketId: "photos"})
		if err != nil || created.GetProtocols().GetGcs().GetBucketName() != "photos" {
			t.Fatalf("DriverCreateBucket() = %v, %v", created, err)
		}
		path := map[string]string{http.MethodPost: "/upload/storage/v1/b/photos/o?uploadType=media&name=x", http.MethodGet: "/photos/x"}[method]
		status, body := ask(ctx, t, method, "http://"+opts.GCSBindAddress+path, grantGCS(ctx, t, provisioner))
		if status != http.StatusOK || method == http.MethodGet && body != "content" {
			t.Errorf("life %d: %s: %d %s", life, method, status, body)
		}
		stop()
	}
}

func grantGCS(ctx context.Context, t *testing.T, provisioner cosiv1alpha2.ProvisionerClient) (token string) {
	t.Helper()
	all := &cosiv1alpha2.AccessMode{Mode: cosiv1alpha2.AccessMode_READ_WRITE}
	granted, err := provisioner.DriverGrantBucketAccess(ctx, &cosiv1alpha2.DriverGrantBucketAccessRequest{
		AccountId: "ba-1", Protocol: &cosiv1alpha2.ObjectProtocol{Type: cosiv1alpha2.ObjectProtocol_GCS},
		AuthenticationType: &cosiv1alpha2.AuthenticationType{Type: cosiv1alpha2.AuthenticationType_KEY},
		Buckets: []*cosiv1alpha2.DriverGrantBucketAccessRequest_AccessedBucket{{
			BucketId: "photos", ObjectDataAccessMode: all, ObjectMetadataAccessMode: all, BucketMetadataAccessMode: all,
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	key := granted.GetCredentials().GetGcs()
	return key.GetAccessId() + ":" + key.GetAccessSecret()
}

func ask(ctx context.Context, t *testing.T, method, url, token string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader("content"))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	return send(t, r)
}

// send sends a request over a connection of its own, and returns status and body.
func send(t *testing.T, r *http.Request) (int, string) {
	t.Helper()
	response, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

func TestGCSRejections(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*driverserver.Options)
		says   string
	}{
		"Protocol":   {func(o *driverserver.Options) { o.Protocols = []fakedriver.Protocol{"FTP"} }, `"FTP"`},
		"Everywhere": {func(o *driverserver.Options) { o.GCSBindAddress = ":9090" }, "GCS endpoint"},
		"Endpoint":   {func(o *driverserver.Options) { o.GCSEndpoint = "127.0.0.1:9090" }, "GCS endpoint"},
	} {
		opts := gcsOptions(t)
		tc.change(&opts)
		if err := driverserver.Run(t.Context(), opts); !errors.Is(err, driverserver.ErrOptions) || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: Run() = %v", name, err)
		}
	}
}
