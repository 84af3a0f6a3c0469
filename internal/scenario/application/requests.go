package application

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"

	"github.com/cosi-emu/cosi-emu/internal/scenario/match"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/internal/scenario/s3access"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

// Do makes one S3 request with the credentials of a Secret, and compares the outcome.
func (a *Application) Do(ctx context.Context, asked *spec.S3) (any, error) {
	credentials, err := a.credentials(ctx, asked)
	if err != nil {
		return nil, err
	}
	defer credentials.Close()
	code, err := a.Variables.Text(ctx, asked.Code)
	if err != nil {
		return nil, err
	}
	result, err := a.useS3(ctx, asked, credentials)
	if err != nil {
		if failed, ok := errors.AsType[smithy.APIError](err); ok && code != "" && failed.ErrorCode() == code {
			return nil, nil
		}
		return nil, &outcome.Failure{Message: fmt.Sprintf("the S3 operation failed: %s; expected %s", err, orAllowed(code))}
	}
	if code != "" {
		return nil, &outcome.Failure{Message: "the S3 operation succeeded; expected " + code}
	}
	return result, nil
}

func orAllowed(code string) string {
	if code == "" {
		return "it is allowed"
	}
	return code
}

func (a *Application) useS3(ctx context.Context, asked *spec.S3, c *credentials) (any, error) {
	for _, operation := range []struct {
		key spec.Text
		do  func(context.Context, *spec.S3, *credentials, string) (any, error)
	}{
		{asked.Put, a.putObject}, {asked.Get, a.getObject}, {asked.Head, headObject}, {asked.Delete, deleteObject},
		{asked.Multipart, a.uploadParts}, {asked.PresignGet, a.presignedGet}, {asked.PresignPut, a.presignedPut},
	} {
		if operation.key.IsZero() {
			continue
		}
		key, err := a.Variables.Text(ctx, operation.key)
		if err != nil {
			return nil, err
		}
		return operation.do(ctx, asked, c, key)
	}
	return a.listObjects(ctx, asked, c)
}

func (a *Application) putObject(ctx context.Context, asked *spec.S3, c *credentials, key string) (any, error) {
	content, err := a.toPut(ctx, asked)
	if err != nil {
		return nil, err
	}
	_, err = c.client.PutObject(ctx, &s3.PutObjectInput{
		Bucket: &c.bucket, Key: &key, Body: bytes.NewReader(content), ContentMD5: s3access.ContentMD5(content),
	})
	return nil, err
}

func (a *Application) getObject(ctx context.Context, asked *spec.S3, c *credentials, key string) (any, error) {
	answer, err := c.client.GetObject(ctx, &s3.GetObjectInput{Bucket: &c.bucket, Key: &key})
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	return a.compareContent(ctx, asked, answer.Body)
}

func headObject(ctx context.Context, _ *spec.S3, c *credentials, key string) (any, error) {
	_, err := c.client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &c.bucket, Key: &key})
	return nil, err
}

func deleteObject(ctx context.Context, _ *spec.S3, c *credentials, key string) (any, error) {
	_, err := c.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &c.bucket, Key: &key})
	return nil, err
}

func (a *Application) listObjects(ctx context.Context, asked *spec.S3, c *credentials) (any, error) {
	prefix, err := a.Variables.Text(ctx, *asked.List)
	if err != nil {
		return nil, err
	}
	var keys []any
	pages := s3.NewListObjectsV2Paginator(c.client, &s3.ListObjectsV2Input{Bucket: &c.bucket, Prefix: &prefix})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		for _, object := range page.Contents {
			keys = append(keys, *object.Key)
		}
	}
	if asked.Keys == nil {
		return keys, nil
	}
	pattern := spec.Pattern{IsList: true}
	for _, key := range asked.Keys {
		pattern.Items = append(pattern.Items, spec.Pattern{Scalar: key})
	}
	differences, err := match.Match(pattern, keys, a.Variables.Now(ctx))
	if err != nil {
		return nil, err
	}
	if len(differences) > 0 {
		return nil, fmt.Errorf("the listing differs: %s", differences[0])
	}
	return keys, nil
}
