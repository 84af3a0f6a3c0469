package miniogo

import (
	"bytes"
	"context"
	"encoding/base64"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/check"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/operation"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/sample"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/worker"
)

func (s *session) putCondition(ctx context.Context) error {
	absent, match := minio.PutObjectOptions{}, minio.PutObjectOptions{}
	absent.SetMatchETagExcept("*")
	first, err := s.put(ctx, "put-condition", []byte("first"), absent)
	if err != nil {
		return err
	}
	_, err = s.put(ctx, "put-condition", []byte("again"), absent)
	if err := rejected(err, "PreconditionFailed"); err != nil {
		return err
	}
	match.SetMatchETag(first.ETag)
	if _, err := s.put(ctx, "put-condition", []byte("second"), match); err != nil {
		return err
	}
	_, err = s.put(ctx, "put-condition", []byte("third"), match)
	if err := rejected(err, "PreconditionFailed"); err != nil {
		return err
	}
	return s.expect(ctx, "put-condition", []byte("second"))
}

func (s *session) getCondition(ctx context.Context) error {
	put, err := s.put(ctx, "get-condition", []byte("c"), minio.PutObjectOptions{})
	if err != nil {
		return err
	}
	get := func(match, except string) error {
		opts := minio.GetObjectOptions{}
		if match != "" {
			_ = opts.SetMatchETag(match) // fails for an empty one only
		}
		if except != "" {
			_ = opts.SetMatchETagExcept(except)
		}
		_, err := s.get(ctx, "get-condition", opts)
		return err
	}
	return check.Sequence(
		func() error { return get(put.ETag, "") },
		func() error { return get("", "other") },
		func() error { return rejected(get("other", ""), "PreconditionFailed") },
		func() error { return status(get("", put.ETag), 304) },
	)
}

func (s *session) addChecksums(operations worker.Operations) {
	for id, kind := range map[operation.ID]minio.ChecksumType{
		operation.CRC32: minio.ChecksumCRC32, operation.CRC32C: minio.ChecksumCRC32C, operation.SHA1: minio.ChecksumSHA1,
		operation.SHA256: minio.ChecksumSHA256, operation.CRC64NVME: minio.ChecksumCRC64NVME,
	} {
		operations[id] = func(ctx context.Context) error { return s.checksum(ctx, kind) }
	}
}

func (s *session) checksum(ctx context.Context, kind minio.ChecksumType) error {
	client, err := s.client(credentials.NewStaticV4(s.secret.AccessKeyID(), s.secret.SecretAccessKey(), ""), true)
	if err != nil {
		return err
	}
	key, content := "checksum/"+kind.String(), sample.Content(11, sample.Small)
	want := kind.ChecksumBytes(content)
	if _, err := client.PutObject(ctx, s.bucket, key, bytes.NewReader(content), int64(len(content)),
		minio.PutObjectOptions{Checksum: kind}); err != nil {
		return err
	}
	got, err := client.StatObject(ctx, s.bucket, key, minio.StatObjectOptions{Checksum: true})
	if err != nil {
		return err
	}
	if err := check.Equal("the checksum", got.Checksum(kind), want.Encoded()); err != nil {
		return err
	}
	// A wrong one goes into a header, which only the lower of the two APIs lets pass.
	lie := map[string]string{kind.Key(): base64.StdEncoding.EncodeToString(make([]byte, kind.RawByteLen()))}
	_, err = (&minio.Core{Client: s.Client}).PutObject(ctx, s.bucket, key, bytes.NewReader([]byte("other")), 5, "", "",
		minio.PutObjectOptions{UserMetadata: lie})
	if err := rejected(err, "BadDigest"); err != nil {
		return err
	}
	return s.expect(ctx, key, content)
}
