package miniogo

import (
	"bytes"
	"context"
	"fmt"
	"mime/multipart"
	"net/http"
	"os"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/check"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/plain"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/sample"
)

func (s *session) presignedGet(ctx context.Context) error {
	content := sample.Content(9, sample.Small)
	if _, err := s.put(ctx, "presigned get", content, minio.PutObjectOptions{}); err != nil {
		return err
	}
	signed, err := s.PresignedGetObject(ctx, s.bucket, "presigned get", time.Minute, nil)
	if err != nil {
		return err
	}
	return plain.Get(ctx, s.secret, os.Getenv("HTTP_PROXY"), signed.String(), content)
}

func (s *session) presignedPut(ctx context.Context) error {
	content := sample.Content(10, sample.Small)
	signed, err := s.PresignedPutObject(ctx, s.bucket, "presigned put", time.Minute)
	if err != nil {
		return err
	}
	if err := plain.Put(ctx, s.secret, os.Getenv("HTTP_PROXY"), signed.String(), nil, content); err != nil {
		return err
	}
	return s.expect(ctx, "presigned put", content)
}

func (s *session) signatureV2(ctx context.Context) error {
	err := s.listAs(ctx, credentials.NewStaticV2(s.secret.AccessKeyID(), s.secret.SecretAccessKey(), ""))
	return check.Rejected(err, "AWS4-HMAC-SHA256")
}

func (s *session) presignedGetV2(ctx context.Context) error {
	client, err := s.client(credentials.NewStaticV2(s.secret.AccessKeyID(), s.secret.SecretAccessKey(), ""), false)
	if err != nil {
		return err
	}
	signed, err := client.PresignedGetObject(ctx, s.bucket, "any", time.Minute, nil)
	if err != nil {
		return err
	}
	return plain.Rejected(ctx, s.secret, os.Getenv("HTTP_PROXY"), signed.String(), "AWS4-HMAC-SHA256")
}

func (s *session) postPolicy(ctx context.Context) error {
	policy := minio.NewPostPolicy()
	for _, err := range []error{
		policy.SetBucket(s.bucket), policy.SetKey("posted"), policy.SetExpires(time.Now().Add(time.Minute)),
	} {
		if err != nil {
			return err
		}
	}
	target, fields, err := s.PresignedPostPolicy(ctx, policy)
	if err != nil {
		return err
	}
	code, body, err := s.post(ctx, target.String(), fields)
	if err != nil {
		return err
	}
	if code != http.StatusNoContent {
		return fmt.Errorf("should be No Content: status %d: %s", code, body)
	}
	return s.expect(ctx, "posted", []byte("posted"))
}

func (s *session) post(ctx context.Context, target string, fields map[string]string) (int, []byte, error) {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for name, value := range fields {
		_ = form.WriteField(name, value) // never fails: it goes to memory
	}
	file, _ := form.CreateFormFile("file", "f")
	_, _ = file.Write([]byte("posted"))
	_ = form.Close()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, target, &body)
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("Content-Type", form.FormDataContentType())
	return plain.Do(s.secret, os.Getenv("HTTP_PROXY"), r)
}
