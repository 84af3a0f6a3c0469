package application

import (
	"context"
	"net/http"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

func (a *Application) presignedGet(ctx context.Context, asked *spec.S3, c *credentials, key string) (any, error) {
	signed, err := s3.NewPresignClient(c.client).PresignGetObject(ctx, &s3.GetObjectInput{Bucket: &c.bucket, Key: &key})
	if err != nil {
		return nil, err
	}
	body, err := c.Request(ctx, http.MethodGet, signed.URL, nil, nil)
	if err != nil {
		return nil, err
	}
	return a.compareContent(ctx, asked, strings.NewReader(body))
}

func (a *Application) presignedPut(ctx context.Context, asked *spec.S3, c *credentials, key string) (any, error) {
	content, err := a.toPut(ctx, asked)
	if err != nil {
		return nil, err
	}
	signed, err := s3.NewPresignClient(c.client).PresignPutObject(ctx, &s3.PutObjectInput{Bucket: &c.bucket, Key: &key})
	if err != nil {
		return nil, err
	}
	_, err = c.Request(ctx, http.MethodPut, signed.URL, nil, content)
	return nil, err
}
