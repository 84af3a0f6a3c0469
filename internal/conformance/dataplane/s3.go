package dataplane

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	smithyhttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/cosi-emu/cosi-emu/internal/scenario/s3access"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// S3 uses one credential on one bucket.
type S3 struct {
	client    *s3.Client
	transport *http.Transport
	bucket    string
}

// NewS3 returns a client, which the caller closes.
func NewS3(info *cosiv1alpha2.S3BucketInfo, key *cosiv1alpha2.S3CredentialInfo) *S3 {
	region := info.GetRegion()
	if region == "" {
		region = s3access.DefaultRegion
	}
	transport := newTransport()
	options := s3.Options{
		Region: region, UsePathStyle: info.GetAddressingStyle().GetStyle() != cosiv1alpha2.S3AddressingStyle_VIRTUAL,
		Credentials: credentials.NewStaticCredentialsProvider(key.GetAccessKeyId(), key.GetAccessSecretKey(), ""),
		HTTPClient:  &http.Client{Transport: observed{transport}}, Retryer: aws.NopRetryer{},
		RequestChecksumCalculation: aws.RequestChecksumCalculationWhenRequired,
		ResponseChecksumValidation: aws.ResponseChecksumValidationWhenRequired,
	}
	if endpoint := info.GetEndpoint(); endpoint != "" {
		options.BaseEndpoint = aws.String(endpoint)
	}
	return &S3{client: s3.New(options), transport: transport, bucket: info.GetBucketId()}
}

// Close implements Client.
func (s *S3) Close() { s.transport.CloseIdleConnections() }

// Put implements Client.
func (s *S3) Put(ctx context.Context, key string, content []byte) error {
	_, err := s.client.PutObject(ctx, &s3.PutObjectInput{
		Bucket: &s.bucket, Key: &key, Body: bytes.NewReader(content), ContentMD5: s3access.ContentMD5(content),
	})
	return classify("PutObject", err)
}

// Get implements Client.
func (s *S3) Get(ctx context.Context, key string) ([]byte, error) {
	r, err := s.client.GetObject(ctx, &s3.GetObjectInput{Bucket: &s.bucket, Key: &key})
	if err != nil {
		return nil, classify("GetObject", err)
	}
	content, err := io.ReadAll(r.Body)
	return content, errors.Join(err, r.Body.Close())
}

// Delete implements Client.
func (s *S3) Delete(ctx context.Context, key string) error {
	_, err := s.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &s.bucket, Key: &key})
	return classify("DeleteObject", err)
}

// List implements Client.
func (s *S3) List(ctx context.Context) error {
	_, err := s.client.ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: &s.bucket})
	return classify("ListObjectsV2", err)
}

func classify(operation string, err error) error {
	if err == nil {
		return nil
	}
	answer, ok := errors.AsType[*smithyhttp.ResponseError](err)
	if ok && isDenied(answer.HTTPStatusCode()) {
		return fmt.Errorf("%s: %w: %w", operation, ErrDenied, err)
	}
	return fmt.Errorf("%s: %w", operation, err)
}
