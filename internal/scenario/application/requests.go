package application

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"
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

func (a *Application) content(ctx context.Context, asked *spec.S3) ([]byte, error) {
	if asked.Content == nil {
		return bytes.Repeat([]byte("cosi"), int(asked.Size)/4+1)[:asked.Size], nil
	}
	text, err := a.Variables.Text(ctx, *asked.Content)
	return []byte(text), err
}

// toPut returns the content of an object to put, and counts the object.
func (a *Application) toPut(ctx context.Context, asked *spec.S3) ([]byte, error) {
	content, err := a.content(ctx, asked)
	if err == nil {
		err = a.Puts.Add(len(content))
	}
	return content, err
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

func (a *Application) compareContent(ctx context.Context, asked *spec.S3, body io.Reader) (any, error) {
	got, err := io.ReadAll(body)
	if err != nil {
		return nil, err
	}
	if asked.Content == nil && asked.Size == 0 {
		return string(got), nil
	}
	want, err := a.content(ctx, asked)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(want, got) {
		return nil, fmt.Errorf("unexpected object content: %d bytes, want %d", len(got), len(want))
	}
	return string(got), nil
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

// partBytes is the minimum size of a part in S3.
const partBytes = 5 << 20

func (a *Application) uploadParts(ctx context.Context, asked *spec.S3, c *credentials, key string) (any, error) {
	content, err := a.toPut(ctx, asked)
	if err != nil {
		return nil, err
	}
	size := int64(len(content))
	upload, err := c.client.CreateMultipartUpload(ctx, &s3.CreateMultipartUploadInput{Bucket: &c.bucket, Key: &key})
	if err != nil {
		return nil, err
	}
	var parts []s3types.CompletedPart
	for number := int32(1); len(content) > 0 || number == 1; number++ {
		piece := content[:min(partBytes, len(content))]
		content = content[len(piece):]
		part, err := c.client.UploadPart(ctx, &s3.UploadPartInput{
			Bucket: &c.bucket, Key: &key, UploadId: upload.UploadId, PartNumber: &number, Body: bytes.NewReader(piece),
			ContentMD5: s3access.ContentMD5(piece),
		})
		if err != nil {
			return nil, err
		}
		parts = append(parts, s3types.CompletedPart{
			PartNumber: new(number), ETag: part.ETag, ChecksumCRC32: part.ChecksumCRC32,
		})
	}
	_, err = c.client.CompleteMultipartUpload(ctx, &s3.CompleteMultipartUploadInput{
		Bucket: &c.bucket, Key: &key, UploadId: upload.UploadId, MultipartUpload: &s3types.CompletedMultipartUpload{Parts: parts},
	})
	if failed, ok := errors.AsType[smithy.APIError](err); ok && failed.ErrorCode() == noSuchUpload && c.Attempts > 1 {
		err = c.confirm(ctx, key, size, err)
	}
	return nil, err
}

// noSuchUpload is the S3 error code for a missing upload.
const noSuchUpload = "NoSuchUpload"

// confirm returns nil if the object exists. Then an earlier attempt has completed the
// upload, its response was lost, and the retry returned NoSuchUpload.
func (c *credentials) confirm(ctx context.Context, key string, size int64, otherwise error) error {
	head, err := c.client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &c.bucket, Key: &key})
	if err == nil && aws.ToInt64(head.ContentLength) == size {
		return nil
	}
	return otherwise
}

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
