package miniogo

import (
	"context"

	"github.com/minio/minio-go/v7"

	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/check"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/sample"
)

func (s *session) putGet(ctx context.Context) error {
	for key, size := range map[string]int{"put-get/small": sample.Small, "put-get/empty": 0} {
		content := sample.Content(1, size)
		if _, err := s.put(ctx, key, content, minio.PutObjectOptions{}); err != nil {
			return err
		}
		if err := s.expect(ctx, key, content); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) head(ctx context.Context) error {
	put, err := s.put(ctx, "head", []byte("head"), minio.PutObjectOptions{})
	if err != nil {
		return err
	}
	got, err := s.StatObject(ctx, s.bucket, "head", minio.StatObjectOptions{})
	if err != nil {
		return err
	}
	if err := check.Equal("the size", got.Size, 4); err != nil {
		return err
	}
	return check.Equal("the ETag", got.ETag, put.ETag)
}

func (s *session) delete(ctx context.Context) error {
	if err := s.putAll(ctx, "delete"); err != nil {
		return err
	}
	if err := s.RemoveObject(ctx, s.bucket, "delete", minio.RemoveObjectOptions{}); err != nil {
		return err
	}
	return s.gone(ctx, "delete")
}

func (s *session) gone(ctx context.Context, key string) error {
	_, err := s.get(ctx, key, minio.GetObjectOptions{})
	if err == nil {
		return check.Rejected(nil, minio.NoSuchKey)
	}
	return check.Equal("the error", minio.ToErrorResponse(err).Code, minio.NoSuchKey)
}

func (s *session) ranges(ctx context.Context) error {
	content := sample.Content(2, sample.Small)
	if _, err := s.put(ctx, "range", content, minio.PutObjectOptions{}); err != nil {
		return err
	}
	for _, r := range []struct {
		start, end int64
		want       []byte
	}{{2, 5, content[2:6]}, {0, -10, content[len(content)-10:]}, {1000, 0, content[1000:]}} {
		opts := minio.GetObjectOptions{}
		if err := opts.SetRange(r.start, r.end); err != nil {
			return err
		}
		got, err := s.get(ctx, "range", opts)
		if err != nil {
			return err
		}
		if err := check.Content(got, r.want); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) deleteMany(ctx context.Context) error {
	keys := []string{"delete-many/1", "delete-many/2"}
	if err := s.putAll(ctx, append(keys, "delete-many/3")...); err != nil {
		return err
	}
	objects := make(chan minio.ObjectInfo, len(keys))
	for _, key := range keys {
		objects <- minio.ObjectInfo{Key: key}
	}
	close(objects)
	for failed := range s.RemoveObjects(ctx, s.bucket, objects, minio.RemoveObjectsOptions{}) {
		return failed.Err
	}
	got, err := s.keys(ctx, minio.ListObjectsOptions{Prefix: "delete-many/"})
	if err != nil {
		return err
	}
	return check.Keys(got, []string{"delete-many/3"})
}

func (s *session) attributes(ctx context.Context) error {
	put, err := s.put(ctx, "attributes", sample.Content(3, sample.Small), minio.PutObjectOptions{})
	if err != nil {
		return err
	}
	got, err := s.GetObjectAttributes(ctx, s.bucket, "attributes", minio.ObjectAttributesOptions{})
	if err != nil {
		return err
	}
	if err := check.Equal("the size", got.ObjectSize, sample.Small); err != nil {
		return err
	}
	return check.Equal("the ETag", got.ETag, put.ETag)
}
