package application

import (
	"bytes"
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"

	"github.com/cosi-emu/cosi-emu/internal/scenario/s3access"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

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
