package miniogo

import (
	"context"
	"strings"

	"github.com/minio/minio-go/v7"

	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/check"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/sample"
)

func (s *session) list(ctx context.Context) error {
	if err := s.putAll(ctx, "list/3", "list/1", "list/2"); err != nil {
		return err
	}
	for _, old := range []bool{false, true} {
		got, err := s.keys(ctx, minio.ListObjectsOptions{Prefix: "list/", UseV1: old})
		if err != nil {
			return err
		}
		if err := check.Keys(got, []string{"list/1", "list/2", "list/3"}); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) paginate(ctx context.Context) error {
	want := []string{"pages/1", "pages/2", "pages/3", "pages/4", "pages/5"}
	if err := s.putAll(ctx, want...); err != nil {
		return err
	}
	got, err := s.keys(ctx, minio.ListObjectsOptions{Prefix: "pages/", MaxKeys: 2})
	if err != nil {
		return err
	}
	return check.Keys(got, want)
}

func (s *session) delimiter(ctx context.Context) error {
	if err := s.putAll(ctx, "tree/a/1", "tree/a/2", "tree/a/3", "tree/b", "tree/c/1", "tree/c/2", "tree/d"); err != nil {
		return err
	}
	for _, size := range []int{1, 2, 1000} {
		got, err := s.keys(ctx, minio.ListObjectsOptions{Prefix: "tree/", MaxKeys: size})
		if err != nil {
			return err
		}
		if err := check.SameKeys(got, []string{"tree/a/", "tree/b", "tree/c/", "tree/d"}); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) listBuckets(ctx context.Context) error {
	buckets, err := s.ListBuckets(ctx)
	if err != nil {
		return err
	}
	var got []string
	for _, b := range buckets {
		got = append(got, b.Name)
	}
	return check.Keys(got, []string{s.bucket})
}

func (s *session) oddKeys(ctx context.Context) error {
	var want []string
	for i, odd := range sample.OddKeys() {
		// minio-go refuses dot segments itself.
		if strings.Contains("/"+odd+"/", "/../") || strings.Contains("/"+odd+"/", "/./") {
			continue
		}
		key, content := "odd/"+odd, sample.Content(uint64(i), 10)
		want = append(want, key)
		if _, err := s.put(ctx, key, content, minio.PutObjectOptions{}); err != nil {
			return err
		}
		if err := s.expect(ctx, key, content); err != nil {
			return err
		}
	}
	got, err := s.keys(ctx, minio.ListObjectsOptions{Prefix: "odd/", Recursive: true})
	if err != nil {
		return err
	}
	if err := check.SameKeys(got, want); err != nil {
		return err
	}
	for _, key := range want {
		if err := s.RemoveObject(ctx, s.bucket, key, minio.RemoveObjectOptions{}); err != nil {
			return err
		}
	}
	if got, err = s.keys(ctx, minio.ListObjectsOptions{Prefix: "odd/", Recursive: true}); err != nil {
		return err
	}
	return check.Keys(got, nil)
}
