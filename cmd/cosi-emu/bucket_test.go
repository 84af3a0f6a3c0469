package main_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// bucket is an S3 client that is configured from a Secret.
type bucket struct {
	client *s3.Client
	name   *string
}

func openBucket(secret map[string]string) bucket {
	id, key := secret[v1alpha2.SecretKeyS3AccessKeyID], secret[v1alpha2.SecretKeyS3SecretAccessKey]
	return bucket{
		client: s3.New(s3.Options{
			BaseEndpoint:     aws.String(secret[v1alpha2.SecretKeyS3Endpoint]),
			Region:           secret[v1alpha2.SecretKeyS3Region],
			UsePathStyle:     secret[v1alpha2.SecretKeyS3AddressingStyle] == v1alpha2.S3AddressingStylePath,
			Credentials:      credentials.NewStaticCredentialsProvider(id, key, ""),
			RetryMaxAttempts: 1,
		}),
		name: aws.String(secret[v1alpha2.SecretKeyBucketName]),
	}
}

func (b bucket) put(t *testing.T, key, text string) {
	t.Helper()
	_, err := b.client.PutObject(t.Context(), &s3.PutObjectInput{Bucket: b.name, Key: &key, Body: strings.NewReader(text)})
	if err != nil {
		t.Fatalf("put object %s: %v", key, err)
	}
}

func (b bucket) get(t *testing.T, key string) string {
	t.Helper()
	out, err := b.client.GetObject(t.Context(), &s3.GetObjectInput{Bucket: b.name, Key: &key})
	if err != nil {
		t.Fatalf("get object %s: %v", key, err)
	}
	defer out.Body.Close() //nolint:errcheck // it was only read
	data, err := io.ReadAll(out.Body)
	if err != nil {
		t.Fatalf("get object %s: %v", key, err)
	}
	return string(data)
}

func (b bucket) list(ctx context.Context) ([]string, error) {
	out, err := b.client.ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: b.name})
	if err != nil {
		return nil, err
	}
	var keys []string
	for _, object := range out.Contents {
		keys = append(keys, *object.Key)
	}
	return keys, nil
}

func (b bucket) rejection(t *testing.T) string {
	t.Helper()
	_, err := b.list(t.Context())
	if err == nil {
		return ""
	}
	api, ok := errors.AsType[smithy.APIError](err)
	if !ok {
		t.Fatalf("list objects: %v", err)
	}
	return api.ErrorCode()
}
