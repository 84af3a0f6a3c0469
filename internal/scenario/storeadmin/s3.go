package storeadmin

import (
	"bytes"
	"context"
	"net/http"

	awscredentials "github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/scenario/s3access"
)

// s3Client uses a bucket of S3, or of a service with its protocol.
type s3Client struct {
	client *s3.Client
	bucket string
}

func newS3Client(endpoint, region, bucket string, key fakedriver.Credentials, transport *http.Transport) *s3Client {
	return &s3Client{bucket: bucket, client: s3.New(s3.Options{
		BaseEndpoint: &endpoint, Region: region, UsePathStyle: true, HTTPClient: &http.Client{Transport: transport},
		Credentials: awscredentials.NewStaticCredentialsProvider(key.AccessKeyID, key.SecretAccessKey, ""),
	})}
}

func (c *s3Client) Put(ctx context.Context, key string, content []byte) error {
	_, err := c.client.PutObject(ctx, &s3.PutObjectInput{
		Bucket: &c.bucket, Key: &key, Body: bytes.NewReader(content), ContentMD5: s3access.ContentMD5(content),
	})
	return err
}

func (c *s3Client) Delete(ctx context.Context, key string) error {
	_, err := c.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &c.bucket, Key: &key})
	return err
}

func (c *s3Client) List(ctx context.Context) (map[string]int64, error) {
	sizes := map[string]int64{}
	pages := s3.NewListObjectsV2Paginator(c.client, &s3.ListObjectsV2Input{Bucket: &c.bucket})
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
