package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/emulator/signing"
)

// environment are the variables that an access gives a client.
type environment map[string]string

// The names of variables that are read here, not only by clients.
const (
	varBucket = "BUCKET_NAME"
	varSAS    = "AZURE_STORAGE_SAS_TOKEN"
	varCA     = "AWS_CA_BUNDLE"
)

// reference reads and writes a bucket with plain HTTP requests, without any of the clients.
type reference struct {
	environment

	protocol protocol
	client   *http.Client
}

func newReference(p protocol, e environment) (*reference, error) {
	transport := &http.Transport{
		// Virtual hosts are on this machine too.
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			_, port, err := net.SplitHostPort(address)
			if err != nil {
				return nil, err
			}
			return (&net.Dialer{}).DialContext(ctx, network, net.JoinHostPort("127.0.0.1", port))
		},
	}
	if file := e[varCA]; file != "" {
		authority, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		pool := x509.NewCertPool()
		pool.AppendCertsFromPEM(authority)
		transport.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	return &reference{environment: e, protocol: p, client: &http.Client{Transport: transport}}, nil
}

func (r *reference) close() { r.client.CloseIdleConnections() }

// url returns the URL of a key, or of the bucket, with every byte of the key encoded that can be.
func (r *reference) url(key, query string) string {
	base := r.protocol.base(r.environment)
	base, sas, _ := strings.Cut(base, "?")
	if key != "" {
		base += "/" + strings.ReplaceAll(strings.ReplaceAll(url.QueryEscape(key), "+", "%20"), "%2F", "/")
	}
	return base + "?" + strings.Trim(query+"&"+sas, "&")
}

// request sends a request, and returns an error for each status that is not one of success.
func (r *reference) request(ctx context.Context, method, address string, body []byte, header http.Header) (http.Header, []byte, error) {
	request, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	maps.Copy(request.Header, header)
	if r.protocol == azure { // the URL has the signature
		request.Header.Set("X-Ms-Version", "2025-01-05")
		return r.send(request)
	}
	region := cmp.Or(r.environment["AWS_REGION"], signing.GoogleRegion)
	if err := signing.Sign(request, r.protocol.key(r.environment), region, body); err != nil {
		return nil, nil, err
	}
	return r.send(request)
}

func (r *reference) send(request *http.Request) (http.Header, []byte, error) {
	response, err := r.client.Do(request)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close() //nolint:errcheck // it is read only
	content, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode >= http.StatusMultipleChoices {
		address, _, _ := strings.Cut(request.URL.String(), "?")
		err = fmt.Errorf("%s %s: status %d: %s", request.Method, address, response.StatusCode, content)
	}
	return response.Header, content, err
}

// put writes an object with metadata, and returns its version.
func (r *reference) put(ctx context.Context, key string, content []byte, metadata map[string]string) (version string, err error) {
	header := http.Header{}
	if r.protocol == azure {
		header.Set("X-Ms-Blob-Type", "BlockBlob")
	}
	for name, value := range metadata {
		header.Set(r.protocol.headers()+"meta-"+name, value)
	}
	got, _, err := r.request(ctx, http.MethodPut, r.url(key, ""), content, header)
	return got.Get("X-Amz-Version-Id"), err
}

func (r *reference) get(ctx context.Context, key string) (http.Header, []byte, error) {
	return r.request(ctx, http.MethodGet, r.url(key, ""), nil, nil)
}

// delete deletes an object, and returns the version of the delete marker.
func (r *reference) delete(ctx context.Context, key string) (version string, err error) {
	header, _, err := r.request(ctx, http.MethodDelete, r.url(key, ""), nil, nil)
	return header.Get("X-Amz-Version-Id"), err
}

var keyElement = regexp.MustCompile(`<(?:Key|Name)>([^<]*)</(?:Key|Name)>`)

// list returns the keys below a prefix, at most a page of them.
func (r *reference) list(ctx context.Context, prefix string) (keys []string, err error) {
	query := "list-type=2&prefix="
	if r.protocol == azure {
		query = "restype=container&comp=list&prefix="
	}
	_, content, err := r.request(ctx, http.MethodGet, r.url("", query+strings.ReplaceAll(url.QueryEscape(prefix), "+", "%20")), nil, nil)
	for _, match := range keyElement.FindAllSubmatch(content, -1) {
		var key string
		if xml.Unmarshal(fmt.Appendf(nil, "<k>%s</k>", match[1]), &key) == nil && strings.HasPrefix(key, prefix) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys, err
}
