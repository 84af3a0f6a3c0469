package engine

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"

	awscredentials "github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/certs"
	"github.com/cosi-emu/cosi-emu/internal/scenario/s3access"
	"github.com/cosi-emu/cosi-emu/internal/signing"
)

// administrator changes and lists the objects of one bucket with the rights of the store's
// administrator. It sends requests of the bucket's protocol, so that quotas, faults of the
// store seam, the journal and the oracles treat them like an application's requests.
type administrator interface {
	put(ctx context.Context, key string, content []byte) error
	// delete returns an error that isNoObject recognizes, or nil, if there is no object.
	delete(ctx context.Context, key string) error
	// list returns the sizes of the objects by their keys.
	list(ctx context.Context) (map[string]int64, error)
}

// asAdministrator runs a function with a client for a bucket of any protocol.
func (r *run) asAdministrator(ctx context.Context, bucket string, do func(administrator) error) error {
	key, err := r.administratorKey()
	if err != nil {
		return err
	}
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	info := r.engine.emulator.Info()
	if transport.TLSClientConfig, err = certs.ClientConfig(info.S3CertificateAuthority); err != nil {
		return err
	}
	b, err := r.engine.emulator.Store().GetBucket(ctx, bucket)
	if err != nil {
		return err
	}
	switch b.Protocol {
	case fakedriver.ProtocolAzure:
		azure, err := newAzureAdministrator(info.AzureEndpoint, bucket, key, transport)
		if err != nil {
			return err
		}
		return do(azure)
	case fakedriver.ProtocolGCS: // its XML API is S3's
		return do(newS3Administrator(info.GCSEndpoint, signing.GoogleRegion, bucket, key, transport))
	default:
		return do(newS3Administrator(info.S3Endpoint, cmp.Or(b.Region, info.S3Region), bucket, key, transport))
	}
}

func (r *run) administratorKey() (key fakedriver.Credentials, err error) {
	content, err := os.ReadFile(r.engine.emulator.Info().S3Administrator)
	if err == nil {
		err = json.Unmarshal(content, &key)
	}
	if err != nil {
		return key, fmt.Errorf("read the store administrator's key: %w", err)
	}
	return key, nil
}

// isNoObject reports whether an error of GCS or Azure means that there is no object to delete. S3
// has no such error.
func isNoObject(err error) bool {
	failed, ok := errors.AsType[smithy.APIError](err)
	return ok && slices.Contains([]string{"NoSuchKey", "BlobNotFound"}, failed.ErrorCode())
}

// s3Administrator uses a bucket of S3, or of a service with its protocol.
type s3Administrator struct {
	client *s3.Client
	bucket string
}

func newS3Administrator(endpoint, region, bucket string, key fakedriver.Credentials, transport *http.Transport) *s3Administrator {
	return &s3Administrator{bucket: bucket, client: s3.New(s3.Options{
		BaseEndpoint: &endpoint, Region: region, UsePathStyle: true, HTTPClient: &http.Client{Transport: transport},
		Credentials: awscredentials.NewStaticCredentialsProvider(key.AccessKeyID, key.SecretAccessKey, ""),
	})}
}

func (a *s3Administrator) put(ctx context.Context, key string, content []byte) error {
	_, err := a.client.PutObject(ctx, &s3.PutObjectInput{
		Bucket: &a.bucket, Key: &key, Body: bytes.NewReader(content), ContentMD5: s3access.ContentMD5(content),
	})
	return err
}

func (a *s3Administrator) delete(ctx context.Context, key string) error {
	_, err := a.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &a.bucket, Key: &key})
	return err
}

func (a *s3Administrator) list(ctx context.Context) (map[string]int64, error) {
	sizes := map[string]int64{}
	pages := s3.NewListObjectsV2Paginator(a.client, &s3.ListObjectsV2Input{Bucket: &a.bucket})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		for _, object := range page.Contents {
			sizes[*object.Key] = *object.Size
		}
	}
	return sizes, nil
}
