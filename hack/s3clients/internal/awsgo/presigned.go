package awsgo

import (
	"context"
	"os"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/plain"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/sample"
)

func (s *session) presignedGet(ctx context.Context) error {
	content := sample.Content(9, sample.Small)
	if err := s.put(ctx, "presigned get", content); err != nil {
		return err
	}
	signed, err := s3.NewPresignClient(s.s3).PresignGetObject(ctx, &s3.GetObjectInput{Bucket: s.bucket, Key: new("presigned get")})
	if err != nil {
		return err
	}
	return plain.Get(ctx, s.secret, os.Getenv("HTTP_PROXY"), signed.URL, content)
}

func (s *session) presignedPut(ctx context.Context) error {
	content := sample.Content(10, sample.Small)
	signed, err := s3.NewPresignClient(s.s3).PresignPutObject(ctx, &s3.PutObjectInput{Bucket: s.bucket, Key: new("presigned put")})
	if err != nil {
		return err
	}
	if err := plain.Put(ctx, s.secret, os.Getenv("HTTP_PROXY"), signed.URL, signed.SignedHeader, content); err != nil {
		return err
	}
	return s.expect(ctx, "presigned put", content)
}
