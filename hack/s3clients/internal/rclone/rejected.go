package rclone

import (
	"context"

	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/check"
)

// listAs lists the bucket with other settings.
func (s *session) listAs(ctx context.Context, env ...string) error {
	_, err := s.With(env...).Run(ctx, "lsf", "s3:"+s.Secret.Bucket())
	return err
}

func (s *session) wrongSecret(ctx context.Context) error {
	return check.Rejected(s.listAs(ctx, "AWS_SECRET_ACCESS_KEY=wrong"), "SignatureDoesNotMatch")
}

func (s *session) unknownKey(ctx context.Context) error {
	return check.Rejected(s.listAs(ctx, "AWS_ACCESS_KEY_ID=AKIAUNKNOWN"), "InvalidAccessKeyId")
}

func (s *session) anonymous(ctx context.Context) error {
	return check.Rejected(s.listAs(ctx, "RCLONE_CONFIG_S3_ENV_AUTH=false"), "AccessDenied")
}

func (s *session) signatureV2(ctx context.Context) error {
	return check.Rejected(s.listAs(ctx, "RCLONE_CONFIG_S3_ENV_AUTH=false", "RCLONE_S3_V2_AUTH=true",
		"RCLONE_CONFIG_S3_ACCESS_KEY_ID="+s.Secret.AccessKeyID(),
		"RCLONE_CONFIG_S3_SECRET_ACCESS_KEY="+s.Secret.SecretAccessKey()), "AWS4-HMAC-SHA256")
}

func (s *session) otherBucket(ctx context.Context) error {
	if err := s.up(ctx, "other", []byte("o")); err != nil {
		return err
	}
	_, err := s.Run(ctx, "lsf", "s3:"+s.Other)
	if err := check.Rejected(err, "AccessDenied"); err != nil {
		return err
	}
	// It begins with HEAD, whose answer has no code.
	_, err = s.Run(ctx, "copyto", s.remote("other"), "s3:"+s.Other+"/other")
	return check.Rejected(err, "403")
}
