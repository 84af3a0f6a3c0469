package main

import (
	"bytes"
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
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
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

// asS3 returns the environment of clients of S3 that use the XML API of GCS with the HMAC key, as Google's documentation says.
func (e environment) asS3() environment {
	changed := maps.Clone(e)
	maps.Copy(changed, environment{
		"AWS_ENDPOINT_URL": e["COSI_GCS_ENDPOINT"], "AWS_ACCESS_KEY_ID": e["HMAC_ACCESS_ID"], "AWS_SECRET_ACCESS_KEY": e["HMAC_SECRET"],
		"AWS_REGION": signing.GoogleRegion, "AWS_DEFAULT_REGION": signing.GoogleRegion, "AWS_S3_ADDRESSING_STYLE": "path",
		"AWS_REQUEST_CHECKSUM_CALCULATION": "when_required", "AWS_RESPONSE_CHECKSUM_VALIDATION": "when_required",
	})
	return changed
}

// reference reads and writes a bucket with plain HTTP requests, without any of the clients.
type reference struct {
	environment

	protocol protocol
	client   *http.Client
}

// newHTTPClient returns the client of references, which trusts a certificate authority, if there is one.
func newHTTPClient(authority string) (*http.Client, error) {
	transport := &http.Transport{
		// Virtual hosts are on this machine too.
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, "127.0.0.1"+address[strings.LastIndex(address, ":"):])
		},
	}
	if authority != "" {
		certificate, err := os.ReadFile(authority)
		if err != nil {
			return nil, err
		}
		pool := x509.NewCertPool()
		pool.AppendCertsFromPEM(certificate)
		transport.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	return &http.Client{Transport: transport}, nil
}

func newReference(client *http.Client, p protocol, e environment) *reference {
	if p == gcs || p == xmlAPI {
		e = e.asS3()
	}
	return &reference{environment: e, protocol: p, client: client}
}

// url returns the URL of a key, or of the bucket, with every byte of the key encoded that can be.
func (r *reference) url(key, query string) string {
	base, sas := r.environment["AWS_ENDPOINT_URL"]+"/"+r.environment[varBucket], ""
	if r.protocol == azure {
		base, sas, _ = strings.Cut(r.environment[varSAS], "?")
	}
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
	signer := aws.Credentials{AccessKeyID: r.environment["AWS_ACCESS_KEY_ID"], SecretAccessKey: r.environment["AWS_SECRET_ACCESS_KEY"]}
	if err := signing.Sign(request, signer, r.environment["AWS_REGION"], body); err != nil {
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
		header.Set(r.protocol.header("Meta-"+name), value)
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

// list returns the keys below a prefix, at most a page of them.
func (r *reference) list(ctx context.Context, prefix string) (keys []string, err error) {
	query := "list-type=2&prefix="
	if r.protocol == azure {
		query = "restype=container&comp=list&prefix="
	}
	_, content, err := r.request(ctx, http.MethodGet, r.url("", query+strings.ReplaceAll(url.QueryEscape(prefix), "+", "%20")), nil, nil)
	if err != nil {
		return nil, err
	}
	var page struct {
		Objects []string `xml:"Contents>Key"`
		Blobs   []string `xml:"Blobs>Blob>Name"`
	}
	err = xml.Unmarshal(content, &page)
	return slices.Sorted(slices.Values(append(page.Objects, page.Blobs...))), err
}
