package main

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/cosi-emu/cosi-emu/internal/controlplane/certs"
	"github.com/cosi-emu/cosi-emu/internal/signing"
)

// reference reads and writes a bucket with plain HTTP requests, without any of the clients.
type reference struct {
	environment

	protocol protocol
	client   *http.Client
}

// newHTTPClient returns the client of references, which trusts a certificate authority, if there is one.
func newHTTPClient(authority string) (*http.Client, error) {
	config, err := certs.ClientConfig(authority)
	// Virtual hosts are on this machine too.
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, "127.0.0.1"+address[strings.LastIndex(address, ":"):])
	}
	return &http.Client{Transport: &http.Transport{DialContext: dial, TLSClientConfig: config}}, err
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

// sign signs a request to S3 or to the XML API of GCS. The URL of Azure has a signature.
func (r *reference) sign(request *http.Request, body []byte) error {
	if r.protocol == azure {
		request.Header.Set("X-Ms-Version", "2025-01-05")
		return nil
	}
	key := aws.Credentials{AccessKeyID: r.environment["AWS_ACCESS_KEY_ID"], SecretAccessKey: r.environment["AWS_SECRET_ACCESS_KEY"]}
	return signing.Sign(request, key, r.environment["AWS_REGION"], body)
}

// unsigned leaves a request as it is: the client has signed it.
func unsigned(*http.Request, []byte) error { return nil }

// send sends a request, and returns an error for each status that is not one of success.
func (r *reference) send(
	ctx context.Context, method, address string, body []byte, header http.Header, sign func(*http.Request, []byte) error,
) (http.Header, []byte, error) {
	request, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	maps.Copy(request.Header, header)
	if err := sign(request, body); err != nil {
		return nil, nil, err
	}
	response, err := r.client.Do(request)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close() //nolint:errcheck // it is read only
	content, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode >= http.StatusMultipleChoices {
		address, _, _ := strings.Cut(address, "?")
		err = fmt.Errorf("%s %s: status %d: %s", method, address, response.StatusCode, content)
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
	got, _, err := r.send(ctx, http.MethodPut, r.url(key, ""), content, header, r.sign)
	return got.Get("X-Amz-Version-Id"), err
}

func (r *reference) get(ctx context.Context, key string) (http.Header, []byte, error) {
	return r.send(ctx, http.MethodGet, r.url(key, ""), nil, nil, r.sign)
}

// list returns the keys below a prefix, at most a page of them.
func (r *reference) list(ctx context.Context, prefix string) (keys []string, err error) {
	query := "list-type=2&prefix="
	if r.protocol == azure {
		query = "restype=container&comp=list&prefix="
	}
	address := r.url("", query+strings.ReplaceAll(url.QueryEscape(prefix), "+", "%20"))
	_, content, err := r.send(ctx, http.MethodGet, address, nil, nil, r.sign)
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
