package miniogo

import (
	"context"

	"github.com/minio/minio-go/v7"

	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/check"
)

// putTwice writes two versions, and returns their IDs.
func (s *session) putTwice(ctx context.Context, key string) (first, second string, err error) {
	one, err := s.put(ctx, key, []byte("first"), minio.PutObjectOptions{})
	if err != nil {
		return "", "", err
	}
	two, err := s.put(ctx, key, []byte("second"), minio.PutObjectOptions{})
	return one.VersionID, two.VersionID, err
}

func (s *session) versions(ctx context.Context) error {
	first, second, err := s.putTwice(ctx, "versions")
	if err != nil {
		return err
	}
	var got []string
	for o := range s.ListObjectsIter(ctx, s.bucket, minio.ListObjectsOptions{Prefix: "versions", WithVersions: true, MaxKeys: 1}) {
		if o.Err != nil {
			return o.Err
		}
		got = append(got, o.VersionID)
		if err := check.Equal("being the latest", o.IsLatest, len(got) == 1); err != nil {
			return err
		}
	}
	return check.Keys(got, []string{second, first})
}

func (s *session) oldVersion(ctx context.Context) error {
	first, _, err := s.putTwice(ctx, "old-version")
	if err != nil {
		return err
	}
	got, err := s.get(ctx, "old-version", minio.GetObjectOptions{VersionID: first})
	if err != nil {
		return err
	}
	if err := check.Equal("the content", string(got), "first"); err != nil {
		return err
	}
	_, err = s.CopyObject(ctx, minio.CopyDestOptions{Bucket: s.bucket, Object: "old-version"},
		minio.CopySrcOptions{Bucket: s.bucket, Object: "old-version", VersionID: first})
	if err != nil {
		return err
	}
	return s.expect(ctx, "old-version", []byte("first"))
}

func (s *session) undelete(ctx context.Context) error {
	if _, _, err := s.putTwice(ctx, "undelete"); err != nil {
		return err
	}
	if err := s.RemoveObject(ctx, s.bucket, "undelete", minio.RemoveObjectOptions{}); err != nil {
		return err
	}
	if err := s.gone(ctx, "undelete"); err != nil {
		return err
	}
	for o := range s.ListObjectsIter(ctx, s.bucket, minio.ListObjectsOptions{Prefix: "undelete", WithVersions: true}) {
		if o.Err != nil {
			return o.Err
		}
		if !o.IsDeleteMarker {
			continue
		}
		if err := s.RemoveObject(ctx, s.bucket, "undelete", minio.RemoveObjectOptions{VersionID: o.VersionID}); err != nil {
			return err
		}
	}
	return s.expect(ctx, "undelete", []byte("second"))
}
