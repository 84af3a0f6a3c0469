package main_test

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"testing"
)

// get returns the answer to an unsigned request by a client that trusts the certificates.
func get(t *testing.T, url string, certificates []byte) (code int, body string) {
	t.Helper()
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(certificates)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}}
	defer transport.CloseIdleConnections()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}
