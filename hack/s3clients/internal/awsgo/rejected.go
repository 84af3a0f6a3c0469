package awsgo

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/check"
)

func (s *session) refusedAs(ctx context.Context, provider aws.CredentialsProvider, code string) error {
	// A client of its own: a signer keeps the keys that it has derived for an access key ID.
	cfg, err := config.LoadDefaultConfig(ctx, config.WithCredentialsProvider(provider))
	if err != nil {
		return err
	}
	client := s3.NewFromConfig(cfg, func(o *s3.Options) { o.UsePathStyle = !s.secret.Virtual() })
	_, err = client.ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: s.bucket})
	return check.Rejected(err, code)
}

func (s *session) wrongSecret(ctx context.Context) error {
	return s.refusedAs(ctx, credentials.NewStaticCredentialsProvider(s.secret.AccessKeyID(), "wrong", ""), "SignatureDoesNotMatch")
}

func (s *session) unknownKey(ctx context.Context) error {
	return s.refusedAs(ctx, credentials.NewStaticCredentialsProvider("AKIAUNKNOWN", s.secret.SecretAccessKey(), ""), "InvalidAccessKeyId")
}

func (s *session) anonymous(ctx context.Context) error {
	return s.refusedAs(ctx, aws.AnonymousCredentials{}, "AccessDenied")
}

func (s *session) otherBucket(ctx context.Context) error {
	if err := s.put(ctx, "other", nil); err != nil {
		return err
	}
	_, err := s.s3.ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: &s.other})
	if err := check.Rejected(err, "AccessDenied"); err != nil {
		return err
	}
	_, err = s.s3.GetObject(ctx, &s3.GetObjectInput{Bucket: &s.other, Key: new("other")})
	if err := check.Rejected(err, "AccessDenied"); err != nil {
		return err
	}
	_, err = s.s3.PutObject(ctx, &s3.PutObjectInput{Bucket: &s.other, Key: new("other")})
	if err := check.Rejected(err, "AccessDenied"); err != nil {
		return err
	}
	_, err = s.s3.CopyObject(ctx, &s3.CopyObjectInput{Bucket: s.bucket, Key: new("stolen"), CopySource: new(s.other + "/other")})
	return check.Rejected(err, "AccessDenied")
}
