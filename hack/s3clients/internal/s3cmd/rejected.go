package s3cmd

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/check"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/plain"
)

// listAs lists the bucket with other settings.
func (s *session) listAs(ctx context.Context, option string) error {
	_, err := s.Run(ctx, "ls", s.url(""), option)
	return err
}

func (s *session) wrongSecret(ctx context.Context) error {
	return check.Rejected(s.listAs(ctx, "--secret_key=wrong"), "SignatureDoesNotMatch")
}

func (s *session) unknownKey(ctx context.Context) error {
	return check.Rejected(s.listAs(ctx, "--access_key=AKIAUNKNOWN"), "InvalidAccessKeyId")
}

func (s *session) signatureV2(ctx context.Context) error {
	return check.Rejected(s.listAs(ctx, "--signature-v2"), "AWS4-HMAC-SHA256")
}

func (s *session) presignedGetV2(ctx context.Context) error {
	if err := s.put(ctx, "presigned-v2", nil); err != nil {
		return err
	}
	out, err := s.Run(ctx, "signurl", s.url("presigned-v2"), "+60")
	if err != nil {
		return err
	}
	return plain.Rejected(ctx, s.Secret, s.Proxy, strings.TrimSpace(out), "AWS4-HMAC-SHA256")
}

func (s *session) otherBucket(ctx context.Context) error {
	if err := s.put(ctx, "other", nil); err != nil {
		return err
	}
	other := "s3://" + s.Other + "/other"
	for _, args := range [][]string{
		{"ls", "s3://" + s.Other},
		{"put", filepath.Join(s.dir, "up"), other},
		{"cp", other, s.url("stolen")},
	} {
		_, err := s.Run(ctx, args...)
		if err := check.Rejected(err, "403"); err != nil {
			return err
		}
	}
	return nil
}
