package awsgo

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/check"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/sample"
)

func (s *session) multipart(ctx context.Context) error {
	content := sample.Content(4, sample.Multipart)
	manager := transfermanager.New(s.s3)
	up, err := manager.UploadObject(ctx, &transfermanager.UploadObjectInput{
		Bucket: s.bucket, Key: new("multipart"), Body: reader(content),
	})
	if err != nil {
		return err
	}
	if !strings.Contains(aws.ToString(up.ETag), "-") {
		return fmt.Errorf("the ETag %s is not one of parts", aws.ToString(up.ETag))
	}
	head, err := s.s3.HeadObject(ctx, &s3.HeadObjectInput{Bucket: s.bucket, Key: new("multipart")})
	if err != nil {
		return err
	}
	if err := check.Equal("the ETag", *head.ETag, *up.ETag); err != nil {
		return err
	}
	down, err := manager.GetObject(ctx, &transfermanager.GetObjectInput{Bucket: s.bucket, Key: new("multipart")})
	if err != nil {
		return err
	}
	got, err := io.ReadAll(down.Body)
	if err != nil {
		return err
	}
	if err := check.Content(got, content); err != nil {
		return err
	}
	_, err = s.s3.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: s.bucket, Key: new("multipart")})
	return err
}

// stream uploads what cannot be rewound and does not say how long it is.
func (s *session) stream(ctx context.Context) error {
	content := sample.Content(5, sample.Small)
	_, err := transfermanager.New(s.s3).UploadObject(ctx, &transfermanager.UploadObjectInput{
		Bucket: s.bucket, Key: new("stream"), Body: io.MultiReader(reader(content)),
	})
	if err != nil {
		return err
	}
	return s.expect(ctx, "stream", content)
}

func (s *session) copyParts(ctx context.Context) error {
	content := sample.Content(6, sample.Parts)
	if err := s.put(ctx, "copy-parts/source", content); err != nil {
		return err
	}
	key := new("copy-parts/copy")
	upload, err := s.s3.CreateMultipartUpload(ctx, &s3.CreateMultipartUploadInput{Bucket: s.bucket, Key: key})
	if err != nil {
		return err
	}
	var parts []types.CompletedPart
	for i, of := range []string{"bytes=0-9999999", fmt.Sprintf("bytes=10000000-%d", sample.Parts-1)} {
		number := int32(i + 1)
		part, err := s.s3.UploadPartCopy(ctx, &s3.UploadPartCopyInput{
			Bucket: s.bucket, Key: key, UploadId: upload.UploadId, PartNumber: &number,
			CopySource: new(*s.bucket + "/copy-parts/source"), CopySourceRange: &of,
		})
		if err != nil {
			return err
		}
		parts = append(parts, types.CompletedPart{PartNumber: &number, ETag: part.CopyPartResult.ETag})
	}
	if _, err := s.s3.CompleteMultipartUpload(ctx, &s3.CompleteMultipartUploadInput{
		Bucket: s.bucket, Key: key, UploadId: upload.UploadId, MultipartUpload: &types.CompletedMultipartUpload{Parts: parts},
	}); err != nil {
		return err
	}
	return s.expect(ctx, *key, content)
}
