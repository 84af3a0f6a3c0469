package dataplane

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// Azure uses a shared access signature, which names its container.
type Azure struct {
	http      *http.Client
	transport *http.Transport
	container *url.URL
}

// ParseAzureToken returns the URI of a shared access signature.
func ParseAzureToken(token string) (*url.URL, error) {
	uri, err := url.Parse(token)
	if err != nil {
		return nil, errors.New("the token is not a URI") // the error would have the token
	}
	if uri.Host == "" || uri.Query().Get("sig") == "" {
		return nil, errors.New("the token is not the URI of a resource with a signature")
	}
	return uri, nil
}

// NewAzure returns a client, which the caller closes. It uses the signature of one credential on
// the container of another. An endpoint replaces the scheme and the host of the URI.
func NewAzure(container, credential *cosiv1alpha2.AzureCredentialInfo, endpoint string) (*Azure, error) {
	uri, err := ParseAzureToken(container.GetAccessToken())
	if err != nil {
		return nil, err
	}
	signature, err := ParseAzureToken(credential.GetAccessToken())
	if err != nil {
		return nil, err
	}
	uri.RawQuery = signature.RawQuery
	if endpoint != "" {
		other, err := url.Parse(endpoint)
		if err != nil {
			return nil, fmt.Errorf("azureEndpoint: %w", err)
		}
		uri.Scheme, uri.Host = other.Scheme, other.Host
	}
	transport := newTransport()
	return &Azure{http: &http.Client{Transport: observed{transport}}, transport: transport, container: uri}, nil
}

// Close implements Client.
func (a *Azure) Close() { a.transport.CloseIdleConnections() }

func (a *Azure) request(ctx context.Context, method, object string, content []byte) (*http.Request, error) {
	uri := *a.container
	uri.Path = strings.TrimSuffix(uri.Path, "/") + "/" + object
	return http.NewRequestWithContext(ctx, method, uri.String(), bytes.NewReader(content))
}

// Put implements Client.
func (a *Azure) Put(ctx context.Context, object string, content []byte) error {
	r, err := a.request(ctx, http.MethodPut, object, content)
	if err != nil {
		return err
	}
	r.Header.Set("X-Ms-Blob-Type", "BlockBlob")
	_, err = exchange(a.http, "Put Blob", r)
	return err
}

// Get implements Client.
func (a *Azure) Get(ctx context.Context, object string) ([]byte, error) {
	r, err := a.request(ctx, http.MethodGet, object, nil)
	if err != nil {
		return nil, err
	}
	return exchange(a.http, "Get Blob", r)
}

// Delete implements Client.
func (a *Azure) Delete(ctx context.Context, object string) error {
	r, err := a.request(ctx, http.MethodDelete, object, nil)
	if err != nil {
		return err
	}
	_, err = exchange(a.http, "Delete Blob", r)
	return err
}

// List implements Client.
func (a *Azure) List(ctx context.Context) error {
	uri := *a.container
	query := uri.Query()
	query.Set("restype", "container")
	query.Set("comp", "list")
	uri.RawQuery = query.Encode()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, uri.String(), http.NoBody)
	if err != nil {
		return err
	}
	_, err = exchange(a.http, "List Blobs", r)
	return err
}
