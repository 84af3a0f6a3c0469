package emulator_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/fakedriver"
)

// openSecurely returns the SDK's default client, which trusts only the Secret's certificates.
func openSecurely(t *testing.T, secret map[string]string) bucket {
	t.Helper()
	cfg, err := config.LoadDefaultConfig(t.Context(),
		config.WithBaseEndpoint(secret[v1alpha2.SecretKeyS3Endpoint]), config.WithRegion(secret[v1alpha2.SecretKeyS3Region]),
		func(o *config.LoadOptions) error {
			if certificates := secret[v1alpha2.SecretKeyCertificateAuthority]; certificates != "" {
				o.CustomCABundle = strings.NewReader(certificates)
			}
			return nil
		},
		config.WithCredentialsProvider(credentials.NewStaticCredentialsProvider(
			secret[v1alpha2.SecretKeyS3AccessKeyID], secret[v1alpha2.SecretKeyS3SecretAccessKey], "")))
	if err != nil {
		t.Fatal(err)
	}
	name := secret[v1alpha2.SecretKeyBucketName]
	return bucket{name: &name, client: s3.NewFromConfig(cfg, func(o *s3.Options) {
		o.UsePathStyle = secret[v1alpha2.SecretKeyS3AddressingStyle] == v1alpha2.S3AddressingStylePath
	})}
}

// TestTLS runs the story over TLS: at first the client trusts no certificate, and after a
// restart it still trusts the Secret that it has.
func TestTLS(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	var certificates []string
	for range 2 {
		t.Run("Start", func(t *testing.T) {
			emu := emulatortest.Start(t, emulator.Options{TLS: true, DataDir: data})
			s := newStory(t, emu)
			s.create(s.claim, s.access)
			s.waitReady()
			secret := s.secret()
			certificates = append(certificates, secret[v1alpha2.SecretKeyCertificateAuthority])
			if err := openSecurely(t, secret).put(t.Context(), "hello.txt", "hello"); err != nil {
				t.Errorf("with the Secret's certificates: %v", err)
			}
			if !strings.HasPrefix(secret[v1alpha2.SecretKeyS3Endpoint], "https://127.0.0.1:") {
				t.Errorf("the endpoint is %s", secret[v1alpha2.SecretKeyS3Endpoint])
			}
			file, err := os.ReadFile(emu.Info().S3CertificateAuthority)
			if err != nil || string(file) != secret[v1alpha2.SecretKeyCertificateAuthority] {
				t.Errorf("the file for clients has %q, %v; want what the Secret has", file, err)
			}
			expectRejected(t, secret)
		})
	}
	if certificates[0] == "" || certificates[0] != certificates[1] {
		t.Error("the certificates have changed")
	}
}

// expectRejected connects without the Secret's certificates, and with certificates that are no
// longer in use.
func expectRejected(t *testing.T, secret map[string]string) {
	t.Helper()
	endpoint := secret[v1alpha2.SecretKeyS3Endpoint]
	for name, transport := range map[string]*http.Transport{
		"a client that trusts no certificate": {},
		"TLS 1.1": {TLSClientConfig: &tls.Config{
			InsecureSkipVerify: true, MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11, //nolint:gosec // to be rejected
		}},
	} {
		if status, err := head(t, transport, endpoint); err == nil {
			t.Errorf("%s: status %d", name, status)
		}
	}
	plain := strings.Replace(endpoint, "https:", "http:", 1)
	if status, err := head(t, &http.Transport{}, plain); err == nil && status != http.StatusBadRequest {
		t.Errorf("without TLS: status %d", status)
	}
}

func head(t *testing.T, transport *http.Transport, target string) (int, error) {
	t.Helper()
	defer transport.CloseIdleConnections()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodHead, target, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		return 0, err
	}
	return response.StatusCode, response.Body.Close()
}

// TestVirtualHost follows a Secret to an address that has the bucket in its host,
// with and without TLS.
func TestVirtualHost(t *testing.T) {
	t.Parallel()
	for name, secure := range map[string]bool{"http": false, "https": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStory(t, emulatortest.Start(t, emulator.Options{TLS: secure}))
			s.useBucketClass(map[string]string{
				fakedriver.ParameterAddressingStyle: fakedriver.AddressingVirtual, fakedriver.ParameterRegion: "us-west-2",
				fakedriver.ParameterNonEmptyDeletion: fakedriver.NonEmptyPurge,
			})
			s.create(s.claim, s.access)
			s.waitReady()
			secret := s.secret()
			if endpoint := secret[v1alpha2.SecretKeyS3Endpoint]; !strings.HasPrefix(endpoint, name+"://s3.localhost:") {
				t.Errorf("the endpoint is %s", endpoint)
			}
			if secret[v1alpha2.SecretKeyS3Region] != "us-west-2" {
				t.Errorf("the region is %s", secret[v1alpha2.SecretKeyS3Region])
			}
			b := openLocally(t, secret)
			if err := b.put(t.Context(), "hello.txt", "hello"); err != nil {
				t.Fatal(err)
			}
			if keys, err := b.list(t.Context()); err != nil || len(keys) != 1 {
				t.Errorf("list() = %v, %v", keys, err)
			}
		})
	}
}

// openLocally is openSecurely where names below localhost do not resolve: it
// connects to the loopback address, whatever the name.
func openLocally(t *testing.T, secret map[string]string) bucket {
	t.Helper()
	b := openSecurely(t, secret)
	options := b.client.Options()
	transport, dials := localTransport(t, secret[v1alpha2.SecretKeyCertificateAuthority])
	options.HTTPClient = &http.Client{Transport: transport}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		want := *b.name + ".s3.localhost:"
		if got := dials(); !strings.HasPrefix(got, want) {
			t.Errorf("the client connected to %q, want %s", got, want)
		}
	})
	return bucket{name: b.name, client: s3.New(options)}
}

// localTransport connects to the loopback address, whatever the host's name, and returns the address
// that it was asked to dial.
func localTransport(t *testing.T, certificates string) (transport *http.Transport, dialled func() string) {
	t.Helper()
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM([]byte(certificates)) && certificates != "" {
		t.Fatal("the Secret has no certificates")
	}
	var last atomic.Value
	return &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			last.Store(address)
			_, port, err := net.SplitHostPort(address)
			if err != nil {
				return nil, err
			}
			return new(net.Dialer).DialContext(ctx, network, net.JoinHostPort("127.0.0.1", port))
		},
	}, func() string { return fmt.Sprint(last.Load()) }
}
