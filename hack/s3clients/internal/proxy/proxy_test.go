package proxy

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

func TestProxy(t *testing.T) {
	echo := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, r.Host+" "+r.RequestURI) //nolint:errcheck,gosec // the test sees what arrives
	})
	p, err := Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	proxyURL, err := url.Parse(p.URL)
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		reason string
		start  func(http.Handler) *httptest.Server
		host   string
		status int
	}{
		"HTTP":      {"A name that ends in .localhost is this machine.", httptest.NewServer, "b.s3.localhost", http.StatusOK},
		"HTTPS":     {"CONNECT knows it, too.", httptest.NewTLSServer, "example.com.localhost", http.StatusOK},
		"Elsewhere": {"Nothing goes to other machines.", httptest.NewServer, "example.com", http.StatusBadGateway},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			server := tc.start(echo)
			defer server.Close()
			transport, ok := server.Client().Transport.(*http.Transport)
			if !ok {
				t.Fatal("the client of httptest has another kind of transport")
			}
			transport.Proxy = http.ProxyURL(proxyURL)
			if transport.TLSClientConfig != nil {
				transport.TLSClientConfig.ServerName = "example.com" // what the certificate of httptest is for
			}
			at, err := url.Parse(server.URL)
			if err != nil {
				t.Fatal(err)
			}
			at.Host = tc.host + ":" + at.Port()
			at.Path, at.RawPath = "/a//b c", "/a//b%20c"
			status, body := get(t, server.Client(), at.String())
			if status != tc.status {
				t.Fatalf("%s\nstatus %d, want %d", tc.reason, status, tc.status)
			}
			if want := at.Host + " /a//b%20c"; status == http.StatusOK && body != want {
				t.Errorf("%s\nserver saw %q, want %q", tc.reason, body, want)
			}
		})
	}
}

func get(t *testing.T, client *http.Client, at string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, at, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body := &strings.Builder{}
	if _, err := io.Copy(body, response.Body); err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, body.String()
}
