package dataplane

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/cosi-emu/cosi-emu/internal/signing"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

const gcsEndpoint = "https://storage.googleapis.com"

// GCS uses an HMAC key of Google Cloud Storage.
type GCS struct {
	http      *http.Client
	transport *http.Transport
	endpoint  string
	bucket    string
	key       *cosiv1alpha2.GcsCredentialInfo
}

// NewGCS returns a client, which the caller closes. It signs requests to the XML API with the key,
// the only use of HMAC keys. An endpoint replaces Google's.
func NewGCS(info *cosiv1alpha2.GcsBucketInfo, key *cosiv1alpha2.GcsCredentialInfo, endpoint string) *GCS {
	transport := newTransport()
	return &GCS{
		http: &http.Client{Transport: observed{transport}}, transport: transport,
		endpoint: strings.TrimSuffix(cmp.Or(endpoint, gcsEndpoint), "/"), bucket: info.GetBucketName(), key: key,
	}
}

// Close implements Client.
func (g *GCS) Close() { g.transport.CloseIdleConnections() }

// Put implements Client.
func (g *GCS) Put(ctx context.Context, object string, content []byte) error {
	_, err := g.send(ctx, http.MethodPut, object, content)
	return err
}

// Get implements Client.
func (g *GCS) Get(ctx context.Context, object string) ([]byte, error) {
	return g.send(ctx, http.MethodGet, object, nil)
}

// Delete implements Client.
func (g *GCS) Delete(ctx context.Context, object string) error {
	_, err := g.send(ctx, http.MethodDelete, object, nil)
	return err
}

// List implements Client.
func (g *GCS) List(ctx context.Context) error {
	_, err := g.send(ctx, http.MethodGet, "", nil)
	return err
}

// send sends a signed request for an object, or for the bucket.
func (g *GCS) send(ctx context.Context, method, object string, content []byte) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, method, g.endpoint+"/"+url.PathEscape(g.bucket)+"/"+object, bytes.NewReader(content))
	if err != nil {
		return nil, fmt.Errorf("gcsEndpoint: %w", err)
	}
	key := aws.Credentials{AccessKeyID: g.key.GetAccessId(), SecretAccessKey: g.key.GetAccessSecret()}
	if err := signing.Sign(r, key, signing.GoogleRegion, content); err != nil {
		return nil, err
	}
	return exchange(g.http, method+" object", r)
}
