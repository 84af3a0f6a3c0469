package awsgo

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/check"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/sample"
)

func (s *session) putGet(ctx context.Context) error {
	for key, size := range map[string]int{"put-get/small": sample.Small, "put-get/empty": 0} {
		content := sample.Content(1, size)
		if err := s.put(ctx, key, content); err != nil {
			return err
		}
		if err := s.expect(ctx, key, content); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) head(ctx context.Context) error {
	put, err := s.s3.PutObject(ctx, &s3.PutObjectInput{Bucket: s.bucket, Key: new("head")})
	if err != nil {
		return err
	}
	head, err := s.s3.HeadObject(ctx, &s3.HeadObjectInput{Bucket: s.bucket, Key: new("head")})
	if err != nil {
		return err
	}
	if err := check.Equal("the size", *head.ContentLength, 0); err != nil {
		return err
	}
	return check.Equal("the ETag", *head.ETag, *put.ETag)
}

func (s *session) delete(ctx context.Context) error {
	if err := s.put(ctx, "delete", nil); err != nil {
		return err
	}
	if _, err := s.s3.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: s.bucket, Key: new("delete")}); err != nil {
		return err
	}
	_, err := s.get(ctx, &s3.GetObjectInput{Key: new("delete")})
	if none := (*types.NoSuchKey)(nil); !errors.As(err, &none) {
		return check.Rejected(err, "NoSuchKey")
	}
	return nil
}

func (s *session) ranges(ctx context.Context) error {
	content := sample.Content(2, sample.Small)
	if err := s.put(ctx, "range", content); err != nil {
		return err
	}
	for of, want := range map[string][]byte{
		"bytes=2-5": content[2:6], "bytes=-10": content[len(content)-10:], "bytes=1000-": content[1000:],
	} {
		got, err := s.get(ctx, &s3.GetObjectInput{Key: new("range"), Range: &of})
		if err != nil {
			return err
		}
		if err := check.Content(got, want); err != nil {
			return err
		}
	}
	_, err := s.get(ctx, &s3.GetObjectInput{Key: new("range"), Range: new("bytes=5000-")})
	return check.Rejected(err, "InvalidRange")
}

func (s *session) deleteMany(ctx context.Context) error {
	var objects []types.ObjectIdentifier
	for _, key := range []string{"delete-many/1", "delete-many/2", "delete-many/3"} {
		if err := s.put(ctx, key, nil); err != nil {
			return err
		}
		objects = append(objects, types.ObjectIdentifier{Key: &key})
	}
	out, err := s.s3.DeleteObjects(ctx, &s3.DeleteObjectsInput{Bucket: s.bucket, Delete: &types.Delete{Objects: objects[:2]}})
	if err != nil {
		return err
	}
	if len(out.Deleted) != 2 || len(out.Errors) != 0 {
		return check.Equal("the number of deleted objects", len(out.Deleted), 2)
	}
	keys, err := s.keys(ctx, "delete-many/")
	if err != nil {
		return err
	}
	return check.Keys(keys, []string{"delete-many/3"})
}

func (s *session) oddKeys(ctx context.Context) error {
	var want []string
	for i, odd := range sample.OddKeys() {
		key := "odd/" + odd
		want = append(want, key)
		if err := s.put(ctx, key, sample.Content(uint64(i), 10)); err != nil {
			return err
		}
		if err := s.expect(ctx, key, sample.Content(uint64(i), 10)); err != nil {
			return err
		}
	}
	got, err := s.keys(ctx, "odd/")
	if err != nil {
		return err
	}
	if err := check.SameKeys(got, want); err != nil {
		return err
	}
	for _, key := range want {
		if _, err := s.s3.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: s.bucket, Key: &key}); err != nil {
			return err
		}
	}
	if got, err = s.keys(ctx, "odd/"); err != nil {
		return err
	}
	return check.Keys(got, nil)
}

func (s *session) attributes(ctx context.Context) error {
	content := sample.Content(3, sample.Small)
	put, err := s.s3.PutObject(ctx, &s3.PutObjectInput{Bucket: s.bucket, Key: new("attributes"), Body: reader(content)})
	if err != nil {
		return err
	}
	got, err := s.s3.GetObjectAttributes(ctx, &s3.GetObjectAttributesInput{
		Bucket: s.bucket, Key: new("attributes"),
		ObjectAttributes: []types.ObjectAttributes{
			types.ObjectAttributesEtag, types.ObjectAttributesObjectSize, types.ObjectAttributesChecksum,
		},
	})
	if err != nil {
		return err
	}
	if err := check.Equal("the size", aws.ToInt64(got.ObjectSize), int64(len(content))); err != nil {
		return err
	}
	return check.Equal("the ETag", `"`+aws.ToString(got.ETag)+`"`, aws.ToString(put.ETag))
}
