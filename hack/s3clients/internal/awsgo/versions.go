package awsgo

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/check"
)

// putTwice writes two versions, and returns their IDs.
func (s *session) putTwice(ctx context.Context, key string) (first, second string, err error) {
	var ids []string
	for _, content := range []string{"first", "second"} {
		out, err := s.s3.PutObject(ctx, &s3.PutObjectInput{Bucket: s.bucket, Key: &key, Body: reader([]byte(content))})
		if err != nil {
			return "", "", err
		}
		ids = append(ids, aws.ToString(out.VersionId))
	}
	return ids[0], ids[1], nil
}

func (s *session) versions(ctx context.Context) error {
	first, second, err := s.putTwice(ctx, "versions")
	if err != nil {
		return err
	}
	var got []types.ObjectVersion
	in := &s3.ListObjectVersionsInput{Bucket: s.bucket, Prefix: new("versions"), MaxKeys: new(int32(1))}
	for pages := s3.NewListObjectVersionsPaginator(s.s3, in); pages.HasMorePages(); {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return err
		}
		got = append(got, page.Versions...)
	}
	if err := check.Equal("the number of versions", len(got), 2); err != nil {
		return err
	}
	if err := check.Keys([]string{*got[0].VersionId, *got[1].VersionId}, []string{second, first}); err != nil {
		return err
	}
	return check.Equal("the newest being the latest", *got[0].IsLatest && !*got[1].IsLatest, true)
}

func (s *session) oldVersion(ctx context.Context) error {
	first, _, err := s.putTwice(ctx, "old-version")
	if err != nil {
		return err
	}
	got, err := s.get(ctx, &s3.GetObjectInput{Key: new("old-version"), VersionId: &first})
	if err != nil {
		return err
	}
	if err := check.Equal("the content", string(got), "first"); err != nil {
		return err
	}
	head, err := s.s3.HeadObject(ctx, &s3.HeadObjectInput{Bucket: s.bucket, Key: new("old-version"), VersionId: &first})
	if err != nil {
		return err
	}
	if err := check.Equal("the size", *head.ContentLength, 5); err != nil {
		return err
	}
	if _, err := s.s3.CopyObject(ctx, &s3.CopyObjectInput{
		Bucket: s.bucket, Key: new("old-version"), CopySource: new(*s.bucket + "/old-version?versionId=" + first),
	}); err != nil {
		return err
	}
	return s.expect(ctx, "old-version", []byte("first"))
}

func (s *session) undelete(ctx context.Context) error {
	if _, _, err := s.putTwice(ctx, "undelete"); err != nil {
		return err
	}
	marker, err := s.s3.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: s.bucket, Key: new("undelete")})
	if err != nil {
		return err
	}
	if err := check.Equal("the delete marker", aws.ToBool(marker.DeleteMarker), true); err != nil {
		return err
	}
	_, err = s.get(ctx, &s3.GetObjectInput{Key: new("undelete")})
	if err := check.Rejected(err, "NoSuchKey"); err != nil {
		return err
	}
	if _, err := s.s3.DeleteObject(ctx, &s3.DeleteObjectInput{
		Bucket: s.bucket, Key: new("undelete"), VersionId: marker.VersionId,
	}); err != nil {
		return err
	}
	if err := s.expect(ctx, "undelete", []byte("second")); err != nil {
		return err
	}
	keys, err := s.keys(ctx, "undelete")
	if err != nil {
		return err
	}
	return check.Keys(keys, []string{"undelete"})
}
