package miniogo

import (
	"context"
	"errors"
	"fmt"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/check"
)

// rejected returns nil if err is a rejection with code.
func rejected(err error, code string) error {
	if err == nil {
		return check.Rejected(nil, code)
	}
	if got := minio.ToErrorResponse(err).Code; got != code {
		return fmt.Errorf("should be %s: %s: %w", code, got, err)
	}
	return nil
}

func status(err error, want int) error {
	if err == nil {
		return fmt.Errorf("not answered with %d", want)
	}
	return check.Equal("the status", minio.ToErrorResponse(err).StatusCode, want)
}

func (s *session) listAs(ctx context.Context, c *credentials.Credentials) error {
	client, err := s.client(c, false)
	if err != nil {
		return err
	}
	for o := range client.ListObjectsIter(ctx, s.bucket, minio.ListObjectsOptions{}) {
		return o.Err
	}
	return nil
}

func (s *session) wrongSecret(ctx context.Context) error {
	return rejected(s.listAs(ctx, credentials.NewStaticV4(s.secret.AccessKeyID(), "wrong", "")), "SignatureDoesNotMatch")
}

func (s *session) unknownKey(ctx context.Context) error {
	return rejected(s.listAs(ctx, credentials.NewStaticV4("AKIAUNKNOWN", s.secret.SecretAccessKey(), "")), "InvalidAccessKeyId")
}

func (s *session) anonymous(ctx context.Context) error {
	return rejected(s.listAs(ctx, credentials.NewStatic("", "", "", credentials.SignatureAnonymous)), "AccessDenied")
}

func (s *session) otherBucket(ctx context.Context) error {
	if err := s.putAll(ctx, "other"); err != nil {
		return err
	}
	return check.Sequence(
		func() error {
			for o := range s.ListObjectsIter(ctx, s.other, minio.ListObjectsOptions{}) {
				return rejected(o.Err, "AccessDenied")
			}
			return errors.New("an empty list")
		},
		func() error {
			o, err := s.GetObject(ctx, s.other, "other", minio.GetObjectOptions{})
			if err == nil {
				_, err = o.Read(make([]byte, 1))
			}
			return rejected(err, "AccessDenied")
		},
		func() error {
			_, err := s.PutObject(ctx, s.other, "other", nil, 0, minio.PutObjectOptions{})
			return rejected(err, "AccessDenied")
		},
		func() error {
			_, err := s.CopyObject(ctx, minio.CopyDestOptions{Bucket: s.bucket, Object: "stolen"},
				minio.CopySrcOptions{Bucket: s.other, Object: "other"})
			return rejected(err, "AccessDenied")
		},
	)
}
