package engine

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"

	awscredentials "github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/cosi-emu/cosi-emu/fakedriver"
)

// administrator returns a client of the store, for a bucket, with the key of its
// administrator, who may do everything. The transport is the caller's to close.
func (r *run) administrator(ctx context.Context, bucket string, transport *http.Transport) (*s3.Client, error) {
	emu := r.engine.emulator
	content, err := os.ReadFile(emu.Info().S3Administrator)
	if err != nil {
		return nil, fmt.Errorf("read the key of the store's administrator: %w", err)
	}
	var key fakedriver.Credentials
	if err := json.Unmarshal(content, &key); err != nil {
		return nil, fmt.Errorf("read the key of the store's administrator: %w", err)
	}
	if err := trust(transport, emu.Info().S3CertificateAuthority); err != nil {
		return nil, err
	}
	b, err := emu.Store().GetBucket(ctx, bucket)
	if err != nil {
		return nil, err
	}
	return s3.New(s3.Options{
		BaseEndpoint: new(emu.Info().S3Endpoint), Region: cmp.Or(b.Region, emu.Info().S3Region), UsePathStyle: true,
		HTTPClient:  &http.Client{Transport: transport},
		Credentials: awscredentials.NewStaticCredentialsProvider(key.AccessKeyID, key.SecretAccessKey, ""),
	}), nil
}

// trust has a transport accept the certificates that an authority has signed, which
// is in a file; none means that there is no TLS.
func trust(transport *http.Transport, authority string) error {
	if authority == "" {
		return nil
	}
	certificate, err := os.ReadFile(authority)
	if err != nil {
		return fmt.Errorf("read the certificate of the store's authority: %w", err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(certificate)
	transport.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	return nil
}

// deleteBucket deletes a bucket with all that is in it, as nobody but the store's
// administrator can.
func (r *run) deleteBucket(ctx context.Context, name string) error {
	backend := r.engine.emulator.Store()
	b, err := backend.GetBucket(ctx, name)
	if err != nil {
		return err
	}
	if b.Protocol == fakedriver.ProtocolS3 {
		err = backend.DeleteBucket(ctx, b.Owner, name)
		if !errors.Is(err, fakedriver.ErrNotEmpty) {
			return err
		}
	}
	if err := r.empty(ctx, b); err != nil {
		return err
	}
	return backend.DeleteBucket(ctx, b.Owner, name)
}

// empty deletes what is in a bucket. There is nothing in those of Azure, which is not
// served.
func (r *run) empty(ctx context.Context, b fakedriver.Bucket) error {
	var err error
	switch b.Protocol {
	case fakedriver.ProtocolS3:
		err = r.emptyS3(ctx, b.Name)
	case fakedriver.ProtocolGCS:
		err = r.engine.emulator.EmptyGCS(ctx, b.Name)
	case fakedriver.ProtocolAzure:
	}
	if err != nil {
		return fmt.Errorf("empty bucket %s: %w", b.Name, err)
	}
	return nil
}

// emptyS3 deletes all versions of all objects in a bucket of S3.
func (r *run) emptyS3(ctx context.Context, bucket string) error {
	return r.behind(ctx, bucket, func(client *s3.Client) error {
		pages := s3.NewListObjectVersionsPaginator(client, &s3.ListObjectVersionsInput{Bucket: &bucket})
		for pages.HasMorePages() {
			page, err := pages.NextPage(ctx)
			if err != nil {
				return err
			}
			if err := deleteVersions(ctx, client, bucket, page); err != nil {
				return err
			}
		}
		return nil
	})
}

func deleteVersions(ctx context.Context, client *s3.Client, bucket string, page *s3.ListObjectVersionsOutput) error {
	for _, version := range page.Versions {
		if err := deleteVersion(ctx, client, bucket, version.Key, version.VersionId); err != nil {
			return err
		}
	}
	for _, marker := range page.DeleteMarkers {
		if err := deleteVersion(ctx, client, bucket, marker.Key, marker.VersionId); err != nil {
			return err
		}
	}
	return nil
}

func deleteVersion(ctx context.Context, client *s3.Client, bucket string, key, version *string) error {
	_, err := client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &bucket, Key: key, VersionId: version})
	return err
}
