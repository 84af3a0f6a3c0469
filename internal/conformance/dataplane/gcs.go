package dataplane

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

const (
	gcsEndpoint = "https://storage.googleapis.com"
	gcsRegion   = "auto"
)

// GCS uses an HMAC key of Google Cloud Storage.
type GCS struct {
	http      *http.Client
	transport *http.Transport
	endpoint  string
	bucket    string
	key       *cosiv1alpha2.GcsCredentialInfo
}

// NewGCS returns a client, which the caller closes. Google verifies signatures with the key,
// in its XML API. An endpoint is that of an emulator: it takes the key itself as a token, in
// the JSON API.
func NewGCS(info *cosiv1alpha2.GcsBucketInfo, key *cosiv1alpha2.GcsCredentialInfo, endpoint string) *GCS {
	transport := newTransport()
	return &GCS{
		http: &http.Client{Transport: observed{transport}}, transport: transport,
		endpoint: strings.TrimSuffix(endpoint, "/"), bucket: info.GetBucketName(), key: key,
	}
}

// Close implements Client.
func (g *GCS) Close() { g.transport.CloseIdleConnections() }

// Put implements Client.
func (g *GCS) Put(ctx context.Context, object string, content []byte) error {
	if g.endpoint == "" {
		_, err := g.signed(ctx, http.MethodPut, object, content)
		return err
	}
	query := url.Values{"uploadType": {"media"}, "name": {object}}
	_, err := g.token(ctx, http.MethodPost, "/upload/storage/v1/b/"+url.PathEscape(g.bucket)+"/o?"+query.Encode(), content)
	return err
}

// Get implements Client.
func (g *GCS) Get(ctx context.Context, object string) ([]byte, error) {
	if g.endpoint == "" {
		return g.signed(ctx, http.MethodGet, object, nil)
	}
	return g.token(ctx, http.MethodGet, g.object(object)+"?alt=media", nil)
}

// Delete implements Client.
func (g *GCS) Delete(ctx context.Context, object string) error {
	if g.endpoint == "" {
		_, err := g.signed(ctx, http.MethodDelete, object, nil)
		return err
	}
	_, err := g.token(ctx, http.MethodDelete, g.object(object), nil)
	return err
}

// List implements Client.
func (g *GCS) List(ctx context.Context) error {
	if g.endpoint == "" {
		_, err := g.signed(ctx, http.MethodGet, "", nil)
		return err
	}
	_, err := g.token(ctx, http.MethodGet, "/storage/v1/b/"+url.PathEscape(g.bucket)+"/o", nil)
	return err
}

func (g *GCS) object(name string) string {
	return "/storage/v1/b/" + url.PathEscape(g.bucket) + "/o/" + url.PathEscape(name)
}

// token sends a request to the JSON API with the key as a token.
func (g *GCS) token(ctx context.Context, method, path string, content []byte) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, method, g.endpoint+path, bytes.NewReader(content))
	if err != nil {
		return nil, fmt.Errorf("gcsEndpoint: %w", err)
	}
	r.Header.Set("Authorization", "Bearer "+g.key.GetAccessId()+":"+g.key.GetAccessSecret())
	return exchange(g.http, method+" object", r)
}

// signed sends a request to the XML API with a signature.
func (g *GCS) signed(ctx context.Context, method, object string, content []byte) ([]byte, error) {
	uri := gcsEndpoint + "/" + url.PathEscape(g.bucket) + "/" + object
	r, err := http.NewRequestWithContext(ctx, method, uri, bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(content)
	digest := hex.EncodeToString(sum[:])
	r.Header.Set("X-Amz-Content-Sha256", digest)
	key := aws.Credentials{AccessKeyID: g.key.GetAccessId(), SecretAccessKey: g.key.GetAccessSecret()}
	if err := v4.NewSigner().SignHTTP(ctx, key, r, digest, "s3", gcsRegion, time.Now()); err != nil {
		return nil, err
	}
	return exchange(g.http, method+" object", r)
}
