package awscli

import (
	"context"

	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/check"
)

func (s *session) getCondition(ctx context.Context) error {
	if err := s.prepareContent(ctx, []byte("c"), "get-condition"); err != nil {
		return err
	}
	var head struct{ ETag string }
	if err := s.api(ctx, &head, "head-object", "--key", "get-condition"); err != nil {
		return err
	}
	get := func(option, etag string) error { return s.expect(ctx, "get-condition", []byte("c"), option, etag) }
	return check.Sequence(
		func() error { return get("--if-match", head.ETag) },
		func() error { return get("--if-none-match", `"other"`) },
		func() error { return check.Rejected(get("--if-match", `"other"`), "PreconditionFailed") },
		func() error { return check.Rejected(get("--if-none-match", head.ETag), "304") },
	)
}

func (s *session) listAs(ctx context.Context, env string) error {
	_, err := s.With(env).Run(ctx, "s3api", "list-objects-v2", "--bucket", s.bucket)
	return err
}

func (s *session) wrongSecret(ctx context.Context) error {
	return check.Rejected(s.listAs(ctx, "AWS_SECRET_ACCESS_KEY=wrong"), "SignatureDoesNotMatch")
}

func (s *session) unknownKey(ctx context.Context) error {
	return check.Rejected(s.listAs(ctx, "AWS_ACCESS_KEY_ID=AKIAUNKNOWN"), "InvalidAccessKeyId")
}

func (s *session) anonymous(ctx context.Context) error {
	_, err := s.Run(ctx, "s3api", "list-objects-v2", "--bucket", s.bucket, "--no-sign-request")
	return check.Rejected(err, "AccessDenied")
}

func (s *session) otherBucket(ctx context.Context) error {
	path, err := s.upload(nil)
	if err != nil {
		return err
	}
	for _, args := range [][]string{
		{"s3api", "list-objects-v2", "--bucket", s.Other},
		{"s3api", "get-object", "--bucket", s.Other, "--key", "other", path},
		{"s3api", "put-object", "--bucket", s.Other, "--key", "other", "--body", path},
		{"s3api", "copy-object", "--bucket", s.bucket, "--key", "stolen", "--copy-source", s.Other + "/other"},
	} {
		_, err := s.Run(ctx, args...)
		if err := check.Rejected(err, "AccessDenied"); err != nil {
			return err
		}
	}
	return nil
}
