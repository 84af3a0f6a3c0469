package main_test

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"maps"
	"net/http"
	"testing"
)

// get returns the answer to an unsigned request by a client that trusts the certificates.
func get(t *testing.T, url string, certificates []byte) (code int, body string) {
	t.Helper()
	return fetch(t, http.MethodGet, url, certificates, nil)
}

func fetch(t *testing.T, method, url string, certificates []byte, header http.Header) (code int, body string) {
	t.Helper()
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(certificates)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}}
	defer transport.CloseIdleConnections()
	request, err := http.NewRequestWithContext(t.Context(), method, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(request.Header, header)
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
