// Package refclient looks at a bucket with another client than the one that is
// tried, for what that one cannot show, and prepares what it would take long to
// prepare.
package refclient

import (
	"bytes"
	"context"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"golang.org/x/sync/errgroup"

	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/client"
)

const parallel = 8

// Client sees what a target holds.
type Client struct {
	s3     *s3.Client
	bucket string
}

// New returns a client with the Secret of a target.
func New(t client.Target) (*Client, error) {
	transport, err := t.Secret.Transport(t.Proxy)
	if err != nil {
		return nil, err
	}
	transport.MaxIdleConnsPerHost = parallel
	endpoint := t.Secret.Endpoint()
	return &Client{bucket: t.Secret.Bucket(), s3: s3.New(s3.Options{
		BaseEndpoint: &endpoint, Region: t.Secret.Region(), UsePathStyle: !t.Secret.Virtual(),
		HTTPClient:  &http.Client{Transport: transport},
		Credentials: credentials.NewStaticCredentialsProvider(t.Secret.AccessKeyID(), t.Secret.SecretAccessKey(), ""),
	})}, nil
}

// Put writes objects with the same content.
func (w *Client) Put(ctx context.Context, content []byte, keys ...string) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallel)
	for _, key := range keys {
		group.Go(func() error {
			_, err := w.s3.PutObject(ctx, &s3.PutObjectInput{Bucket: &w.bucket, Key: &key, Body: bytes.NewReader(content)})
			return err
		})
	}
	return group.Wait()
}

// Head returns what the store says of an object.
func (w *Client) Head(ctx context.Context, key string) (*s3.HeadObjectOutput, error) {
	return w.s3.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &w.bucket, Key: &key})
}
