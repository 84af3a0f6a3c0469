package awsgo

import (
	"context"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/check"
)

func (s *session) putCondition(ctx context.Context) error {
	put := func(content string, match, none *string) (*s3.PutObjectOutput, error) {
		return s.s3.PutObject(ctx, &s3.PutObjectInput{
			Bucket: s.bucket, Key: new("put-condition"), Body: strings.NewReader(content), IfMatch: match, IfNoneMatch: none,
		})
	}
	first, err := put("first", nil, new("*"))
	if err != nil {
		return err
	}
	_, err = put("again", nil, new("*"))
	if err := check.Rejected(err, "PreconditionFailed"); err != nil {
		return err
	}
	if _, err := put("second", first.ETag, nil); err != nil {
		return err
	}
	_, err = put("third", first.ETag, nil)
	if err := check.Rejected(err, "PreconditionFailed"); err != nil {
		return err
	}
	return s.expect(ctx, "put-condition", []byte("second"))
}

func (s *session) getCondition(ctx context.Context) error {
	put, err := s.s3.PutObject(ctx, &s3.PutObjectInput{Bucket: s.bucket, Key: new("get-condition")})
	if err != nil {
		return err
	}
	get := func(match, none *string) error {
		_, err := s.get(ctx, &s3.GetObjectInput{Key: new("get-condition"), IfMatch: match, IfNoneMatch: none})
		return err
	}
	return check.Sequence(
		func() error { return get(put.ETag, nil) },
		func() error { return get(nil, new(`"other"`)) },
		func() error { return check.Rejected(get(new(`"other"`), nil), "StatusCode: 412") },
		func() error { return check.Rejected(get(nil, put.ETag), "StatusCode: 304") },
	)
}
