package certs_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc/test/bufconn"

	"github.com/cosi-emu/cosi-emu/internal/controlplane/certs"
)

const patience = 10 * time.Second

func newAuthority(t *testing.T, hosts ...string) *certs.Authority {
	t.Helper()
	a, err := certs.New(hosts...)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// handshake connects, without a network, a client that trusts an authority and expects the server
// name, with a server of another authority for names.
func handshake(t *testing.T, trusted, signer *certs.Authority, name string, version uint16, names ...string) error {
	t.Helper()
	config, err := signer.ServerConfig(names...)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "ca.crt")
	if err := os.WriteFile(file, trusted.CertificatePEM(), 0o600); err != nil {
		t.Fatal(err)
	}
	wanted, err := certs.ClientConfig(file)
	if err != nil {
		t.Fatal(err)
	}
	wanted.ServerName = name
	if version != 0 {
		wanted.MaxVersion, wanted.MinVersion = version, tls.VersionTLS10 // to be rejected
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	l := bufconn.Listen(1 << 16)
	var server sync.WaitGroup
	server.Go(func() {
		conn, err := l.Accept()
		if err != nil {
			return // the client fails, too
		}
		_ = tls.Server(conn, config).HandshakeContext(ctx) // the client reports the problem
		_ = conn.Close()
	})
	defer server.Wait()
	conn, err := l.DialContext(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	return tls.Client(conn, wanted).HandshakeContext(ctx)
}

func TestHandshake(t *testing.T) {
	ours, theirs := newAuthority(t), newAuthority(t)
	abroad := newAuthority(t, "s3.example.com", "192.0.2.1", "2001:db8::1")
	names := []string{"127.0.0.1", "::1", "localhost", "s3.localhost", "*.s3.localhost"}
	tests := map[string]struct {
		reason  string
		name    string
		names   []string
		signer  *certs.Authority
		trusted *certs.Authority
		version uint16
		fails   bool
	}{
		"IPv4":        {reason: "The usual endpoint.", name: "127.0.0.1", names: names},
		"IPv6":        {reason: "Another.", name: "::1", names: names},
		"Host":        {reason: "Another.", name: "s3.localhost", names: names},
		"Bucket":      {reason: "A virtual-host address.", name: "photos.s3.localhost", names: names},
		"TLS12":       {reason: "Still in use.", name: "localhost", names: names, version: tls.VersionTLS12},
		"TLS11":       {reason: "No longer in use.", name: "localhost", names: names, version: tls.VersionTLS11, fails: true},
		"OtherName":   {reason: "Not in the certificate.", name: "s3.example.com", names: names, fails: true},
		"OtherSigner": {reason: "Not trusted.", name: "localhost", names: names, signer: theirs, fails: true},
		"Abroad":      {reason: "It is for this machine only.", name: "s3.example.com", names: []string{"s3.example.com"}, fails: true},
		"AbroadIP":    {reason: "It is for this machine only.", name: "192.0.2.1", names: []string{"192.0.2.1"}, fails: true},
		"Permitted": {
			reason: "It is told of the host.", name: "s3.example.com", names: []string{"s3.example.com"}, signer: abroad, trusted: abroad,
		},
		"PermittedIP": {
			reason: "It is told of the address.", name: "192.0.2.1", names: []string{"192.0.2.1"}, signer: abroad, trusted: abroad,
		},
		"PermittedV6": {
			reason: "It is told of the address.", name: "2001:db8::1", names: []string{"2001:db8::1"}, signer: abroad, trusted: abroad,
		},
		"NotTold": {
			reason: "It is told of others.", name: "192.0.2.2", names: []string{"192.0.2.2"}, signer: abroad, trusted: abroad, fails: true,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			signer := ours
			if tc.signer != nil {
				signer = tc.signer
			}
			trusted := ours
			if tc.trusted != nil {
				trusted = tc.trusted
			}
			err := handshake(t, trusted, signer, tc.name, tc.version, tc.names...)
			if (err != nil) != tc.fails {
				t.Errorf("%s\nhandshake: %v, want an error: %t", tc.reason, err, tc.fails)
			}
			if errors.Is(err, io.EOF) {
				t.Errorf("%s\nhandshake: %v, want a reason", tc.reason, err)
			}
		})
	}
}

func TestClientConfig(t *testing.T) {
	if config, err := certs.ClientConfig(""); config != nil || err != nil {
		t.Errorf("without a file: %v, %v, want the default of Go", config, err)
	}
	file := filepath.Join(t.TempDir(), "ca.crt")
	if _, err := certs.ClientConfig(file); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("with a file that does not exist: %v", err)
	}
	if err := os.WriteFile(file, []byte("not PEM"), 0o600); err != nil {
		t.Fatal(err)
	}
	want := file + " has no certificate: it must be the certificate authority, in PEM"
	if _, err := certs.ClientConfig(file); err == nil || err.Error() != want {
		t.Errorf("with a file that is not PEM: %v, want %s", err, want)
	}
}

func TestOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "authority.pem")
	first, err := certs.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	second, err := certs.Open(path)
	if err != nil || !bytes.Equal(first.CertificatePEM(), second.CertificatePEM()) {
		t.Errorf("Open() again = %v; want the same authority", err)
	}
	if err := handshake(t, first, second, "localhost", 0, "localhost"); err != nil {
		t.Errorf("what the second signs is not trusted by the first's clients: %v", err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file has mode %v, %v; want 0600", info.Mode(), err)
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
		t.Errorf("files %v, %v; want one", left, err)
	}
}

// TestOpenForHosts replaces an authority that cannot sign for a host, once.
func TestOpenForHosts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "authority.pem")
	var got []string
	for _, hosts := range [][]string{nil, {"192.0.2.1"}, {"192.0.2.1"}, nil, {"192.0.2.1", "s3.example.com"}} {
		a, err := certs.Open(path, hosts...)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(a.CertificatePEM()))
	}
	if got[0] == got[1] || got[1] != got[2] || got[2] != got[3] || got[3] == got[4] {
		t.Errorf("authorities are replaced at the wrong times:\n%s", strings.Join(got, "\n"))
	}
}

// TestOpenDamaged does not replace an unreadable authority: clients that trust the old one would
// lose trust.
func TestOpenDamaged(t *testing.T) {
	good := filepath.Join(t.TempDir(), "good.pem")
	if _, err := certs.Open(good); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	key := bytes.Index(content, []byte("-----BEGIN EC"))
	for name, damaged := range map[string][]byte{
		"Empty": {}, "NoKey": content[:key], "NoCertificate": content[key:],
		"Torn": content[:key/2], "OtherKey": append(newAuthority(t).CertificatePEM(), content[key:]...),
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "authority.pem")
			if err := os.WriteFile(path, damaged, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := certs.Open(path); err == nil {
				t.Error("Open() has no error")
			}
			if left, err := os.ReadFile(path); err != nil || !bytes.Equal(left, damaged) {
				t.Errorf("the file has changed (%v)", err)
			}
		})
	}
	if _, err := certs.Open(filepath.Join(t.TempDir(), "missing", "authority.pem")); err == nil {
		t.Error("Open() in a directory that is not there has no error")
	}
}
