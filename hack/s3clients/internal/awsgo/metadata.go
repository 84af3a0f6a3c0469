package awsgo

import (
	"context"
	"fmt"
	"maps"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/check"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/sample"
)

func (s *session) expectMetadata(ctx context.Context, key string, want map[string]string) error {
	head, err := s.s3.HeadObject(ctx, &s3.HeadObjectInput{Bucket: s.bucket, Key: &key})
	if err != nil {
		return err
	}
	if !maps.Equal(head.Metadata, want) {
		return fmt.Errorf("the metadata are %v, not %v", head.Metadata, want)
	}
	return nil
}

func (s *session) putMetadata(ctx context.Context, key string, metadata map[string]string) error {
	_, err := s.s3.PutObject(ctx, &s3.PutObjectInput{Bucket: s.bucket, Key: &key, Body: reader([]byte("m")), Metadata: metadata})
	return err
}

func (s *session) metadata(ctx context.Context) error {
	if err := s.putMetadata(ctx, "metadata", map[string]string{"Colour": "blue", "shape": "round"}); err != nil {
		return err
	}
	if err := s.expectMetadata(ctx, "metadata", map[string]string{"colour": "blue", "shape": "round"}); err != nil {
		return err
	}
	if err := s.putMetadata(ctx, "metadata", map[string]string{"size": "big"}); err != nil {
		return err
	}
	return s.expectMetadata(ctx, "metadata", map[string]string{"size": "big"})
}

func (s *session) headers(ctx context.Context) error {
	_, err := s.s3.PutObject(ctx, &s3.PutObjectInput{
		Bucket: s.bucket, Key: new("headers"),
		CacheControl: new("max-age=60"), ContentDisposition: new(`attachment; filename="a b.txt"`),
		ContentType: new("text/x-test"), ContentLanguage: new("de"), ContentEncoding: new("br"),
	})
	if err != nil {
		return err
	}
	head, err := s.s3.HeadObject(ctx, &s3.HeadObjectInput{Bucket: s.bucket, Key: new("headers")})
	if err != nil {
		return err
	}
	for _, h := range []struct {
		what string
		got  *string
		want string
	}{
		{"Cache-Control", head.CacheControl, "max-age=60"},
		{"Content-Disposition", head.ContentDisposition, `attachment; filename="a b.txt"`},
		{"Content-Type", head.ContentType, "text/x-test"},
		{"Content-Language", head.ContentLanguage, "de"},
		{"Content-Encoding", head.ContentEncoding, "br"},
	} {
		if err := check.Equal(h.what, aws.ToString(h.got), h.want); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) copy(ctx context.Context) error {
	content := sample.Content(7, sample.Small)
	if err := s.put(ctx, "copy/source", content); err != nil {
		return err
	}
	if err := s.putMetadata(ctx, "copy/described", map[string]string{"old": "1"}); err != nil {
		return err
	}
	source := func(key string) *string { return new(*s.bucket + "/" + key) }
	if _, err := s.s3.CopyObject(ctx, &s3.CopyObjectInput{
		Bucket: s.bucket, Key: new("copy/copy"), CopySource: source("copy/source"),
	}); err != nil {
		return err
	}
	if err := s.expect(ctx, "copy/copy", content); err != nil {
		return err
	}
	_, err := s.s3.CopyObject(ctx, &s3.CopyObjectInput{
		Bucket: s.bucket, Key: new("copy/described"), CopySource: source("copy/described"),
		MetadataDirective: types.MetadataDirectiveReplace, Metadata: map[string]string{"new": "2"},
	})
	if err != nil {
		return err
	}
	return s.expectMetadata(ctx, "copy/described", map[string]string{"new": "2"})
}
