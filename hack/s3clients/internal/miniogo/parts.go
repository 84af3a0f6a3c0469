package miniogo

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/minio/minio-go/v7"

	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/check"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/sample"
)

func (s *session) multipart(ctx context.Context) error {
	content := sample.Content(4, sample.Multipart)
	put, err := s.put(ctx, "multipart", content, minio.PutObjectOptions{})
	if err != nil {
		return err
	}
	if !strings.Contains(put.ETag, "-") {
		return fmt.Errorf("the ETag %s is not one of parts", put.ETag)
	}
	got, err := s.StatObject(ctx, s.bucket, "multipart", minio.StatObjectOptions{})
	if err != nil {
		return err
	}
	if err := check.Equal("the ETag", got.ETag, put.ETag); err != nil {
		return err
	}
	if err := s.expect(ctx, "multipart", content); err != nil {
		return err
	}
	return s.RemoveObject(ctx, s.bucket, "multipart", minio.RemoveObjectOptions{})
}

// stream uploads what does not say how long it is.
func (s *session) stream(ctx context.Context) error {
	content := sample.Content(5, sample.Small)
	_, err := s.PutObject(ctx, s.bucket, "stream", io.MultiReader(bytes.NewReader(content)), -1, minio.PutObjectOptions{PartSize: 5 << 20})
	if err != nil {
		return err
	}
	return s.expect(ctx, "stream", content)
}

func (s *session) copy(ctx context.Context) error {
	content := sample.Content(7, sample.Small)
	if _, err := s.put(ctx, "copy/source", content, minio.PutObjectOptions{UserMetadata: map[string]string{"old": "1"}}); err != nil {
		return err
	}
	_, err := s.CopyObject(ctx, minio.CopyDestOptions{
		Bucket: s.bucket, Object: "copy/copy", ReplaceMetadata: true, UserMetadata: map[string]string{"new": "2"},
	}, minio.CopySrcOptions{Bucket: s.bucket, Object: "copy/source"})
	if err != nil {
		return err
	}
	if err := s.expect(ctx, "copy/copy", content); err != nil {
		return err
	}
	return s.expectMetadata(ctx, "copy/copy", map[string]string{"new": "2"})
}

// copyParts composes an object of two others, the first of which is long enough
// for a part.
func (s *session) copyParts(ctx context.Context) error {
	long, short := sample.Content(6, sample.Parts), sample.Content(7, sample.Small)
	for key, content := range map[string][]byte{"copy-parts/long": long, "copy-parts/short": short} {
		if _, err := s.put(ctx, key, content, minio.PutObjectOptions{}); err != nil {
			return err
		}
	}
	_, err := s.ComposeObject(ctx, minio.CopyDestOptions{Bucket: s.bucket, Object: "copy-parts/copy"},
		minio.CopySrcOptions{Bucket: s.bucket, Object: "copy-parts/long"},
		minio.CopySrcOptions{Bucket: s.bucket, Object: "copy-parts/short"})
	if err != nil {
		return err
	}
	return s.expect(ctx, "copy-parts/copy", append(long, short...))
}
