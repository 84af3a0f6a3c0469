package driverserver_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	certutil "k8s.io/client-go/util/cert"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/driverserver"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// secure returns options with a certificate for this machine, and its file.
func secure(t *testing.T) driverserver.Options {
	t.Helper()
	dir := harness.SocketDir(t)
	certificate, key, err := certutil.GenerateSelfSignedCertKey("localhost", []net.IP{net.IPv4(127, 0, 0, 1)}, []string{"*.s3.localhost"})
	if err != nil {
		t.Fatal(err)
	}
	opts := driverserver.Options{
		Endpoint: "unix://" + filepath.Join(dir, "cosi.sock"), S3BindAddress: "127.0.0.1:0",
		TLSCertFile: filepath.Join(dir, "tls.crt"), TLSPrivateKeyFile: filepath.Join(dir, "tls.key"), MaxAccounts: 1,
	}
	if err := errors.Join(os.WriteFile(opts.TLSCertFile, certificate, 0o600), os.WriteFile(opts.TLSPrivateKeyFile, key, 0o600)); err != nil {
		t.Fatal(err)
	}
	return opts
}

// trusting returns a client that trusts a file, and connects to this machine for any name.
func trusting(t *testing.T, file string) *http.Client {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(content)
	transport := &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			_, port, err := net.SplitHostPort(address)
			if err != nil {
				return nil, err
			}
			return new(net.Dialer).DialContext(ctx, network, net.JoinHostPort("127.0.0.1", port))
		},
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// TestTLS connects to the store over TLS, at both kinds of address from the driver, and not without
// the certificate.
func TestTLS(t *testing.T) {
	opts := secure(t)
	run(t, opts)
	_, provisioner := dial(t, opts.Endpoint)
	for style, want := range map[string]string{fakedriver.AddressingPath: "https://127.0.0.1:", fakedriver.AddressingVirtual: "https://s3.localhost:"} {
		created, err := provisioner.DriverCreateBucket(t.Context(), &cosiv1alpha2.DriverCreateBucketRequest{
			BucketId: "bucket-" + style, Parameters: map[string]string{fakedriver.ParameterAddressingStyle: style},
		})
		if err != nil {
			t.Fatal(err)
		}
		endpoint := created.GetProtocols().GetS3().GetEndpoint()
		if !strings.HasPrefix(endpoint, want) {
			t.Errorf("the endpoint of a %s-style bucket is %s, want %s", style, endpoint, want)
		}
		address := endpoint + "/bucket-path"
		if style == fakedriver.AddressingVirtual {
			address = strings.Replace(endpoint, "s3.", "bucket-virtual.s3.", 1)
		}
		// The request is unsigned, so the store only rejects it.
		if got, err := get(t, trusting(t, opts.TLSCertFile), address); err != nil || got != http.StatusForbidden {
			t.Errorf("GET %s = %d, %v; want 403", address, got, err)
		}
		if got, err := get(t, http.DefaultClient, endpoint); err == nil {
			t.Errorf("GET %s without the certificate = %d, want an error", endpoint, got)
		}
	}
}

func get(t *testing.T, c *http.Client, target string) (int, error) {
	t.Helper()
	return fetch(t, c, http.MethodGet, target, nil)
}

func fetch(t *testing.T, c *http.Client, method, target string, header http.Header) (int, error) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, target, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(request.Header, header)
	response, err := c.Do(request)
	if err != nil {
		return 0, err
	}
	return response.StatusCode, response.Body.Close()
}

// TestCORSOrigins: pages may use all buckets by the option, and one by its class.
func TestCORSOrigins(t *testing.T) {
	opts := secure(t)
	opts.S3CORSOrigins = []string{"http://localhost:3000"}
	run(t, opts)
	_, provisioner := dial(t, opts.Endpoint)
	endpoint := ""
	for bucket, parameters := range map[string]map[string]string{
		"plain": nil, "classy": {fakedriver.ParameterCORSOrigins: "https://*.example.com"},
	} {
		created, err := provisioner.DriverCreateBucket(t.Context(), &cosiv1alpha2.DriverCreateBucketRequest{
			BucketId: bucket, Parameters: parameters,
		})
		if err != nil {
			t.Fatal(err)
		}
		endpoint = created.GetProtocols().GetS3().GetEndpoint()
	}
	const option, class = "http://localhost:3000", "https://a.example.com"
	got := map[string]int{}
	for _, bucket := range []string{"plain", "classy"} {
		for _, origin := range []string{option, class} {
			preflight := http.Header{"Origin": {origin}, "Access-Control-Request-Method": {http.MethodPut}}
			status, err := fetch(t, trusting(t, opts.TLSCertFile), http.MethodOptions, endpoint+"/"+bucket+"/k", preflight)
			if err != nil {
				t.Fatal(err)
			}
			got[bucket+" "+origin] = status
		}
	}
	want := map[string]int{"plain " + option: 200, "plain " + class: 403, "classy " + option: 403, "classy " + class: 200}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("preflights: -want, +got:\n%s", diff)
	}
}

// TestMaxAccounts compares the option with the store's.
func TestMaxAccounts(t *testing.T) {
	opts := secure(t)
	run(t, opts)
	_, provisioner := dial(t, opts.Endpoint)
	if _, err := provisioner.DriverCreateBucket(t.Context(), &cosiv1alpha2.DriverCreateBucketRequest{BucketId: "bucket"}); err != nil {
		t.Fatal(err)
	}
	unspecified := &cosiv1alpha2.AccessMode{Mode: cosiv1alpha2.AccessMode_ANY}
	for id, want := range []codes.Code{codes.OK, codes.ResourceExhausted} {
		_, err := provisioner.DriverGrantBucketAccess(t.Context(), &cosiv1alpha2.DriverGrantBucketAccessRequest{
			AccountId: string(rune('a' + id)), Protocol: &cosiv1alpha2.ObjectProtocol{Type: cosiv1alpha2.ObjectProtocol_S3},
			AuthenticationType: &cosiv1alpha2.AuthenticationType{Type: cosiv1alpha2.AuthenticationType_KEY},
			Buckets: []*cosiv1alpha2.DriverGrantBucketAccessRequest_AccessedBucket{{
				BucketId: "bucket", ObjectDataAccessMode: unspecified, ObjectMetadataAccessMode: unspecified, BucketMetadataAccessMode: unspecified,
			}},
		})
		if status.Code(err) != want {
			t.Errorf("grant %d: %v, want %s", id+1, err, want)
		}
	}
}
