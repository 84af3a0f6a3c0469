package awsgo

import (
	"context"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/check"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/sample"
)

var tags = []types.Tag{{Key: new("colour"), Value: new("blue")}, {Key: new("shape"), Value: new("a b")}}

func expectTags(got, want []types.Tag) error {
	if !slices.EqualFunc(got, want, func(a, b types.Tag) bool { return *a.Key == *b.Key && *a.Value == *b.Value }) {
		return fmt.Errorf("%d tags came back that are not the %d that were put", len(got), len(want))
	}
	return nil
}

func (s *session) objectTagging(ctx context.Context) error {
	content, key := sample.Content(8, sample.Small), new("tagging")
	if err := s.put(ctx, *key, content); err != nil {
		return err
	}
	if _, err := s.s3.PutObjectTagging(ctx, &s3.PutObjectTaggingInput{
		Bucket: s.bucket, Key: key, Tagging: &types.Tagging{TagSet: tags},
	}); err != nil {
		return err
	}
	get := func() ([]types.Tag, error) {
		out, err := s.s3.GetObjectTagging(ctx, &s3.GetObjectTaggingInput{Bucket: s.bucket, Key: key})
		if err != nil {
			return nil, err
		}
		return out.TagSet, nil
	}
	if err := s.tagsAre(get, tags); err != nil {
		return err
	}
	if _, err := s.s3.DeleteObjectTagging(ctx, &s3.DeleteObjectTaggingInput{Bucket: s.bucket, Key: key}); err != nil {
		return err
	}
	if err := s.tagsAre(get, nil); err != nil {
		return err
	}
	if _, err := s.s3.PutObject(ctx, &s3.PutObjectInput{
		Bucket: s.bucket, Key: key, Body: reader(content), Tagging: new("colour=blue&shape=a%20b"),
	}); err != nil {
		return err
	}
	if err := s.tagsAre(get, tags); err != nil {
		return err
	}
	return s.expect(ctx, *key, content)
}

func (*session) tagsAre(get func() ([]types.Tag, error), want []types.Tag) error {
	got, err := get()
	if err != nil {
		return err
	}
	return expectTags(got, want)
}

func (s *session) bucketTagging(ctx context.Context) error {
	if _, err := s.s3.PutBucketTagging(ctx, &s3.PutBucketTaggingInput{
		Bucket: s.bucket, Tagging: &types.Tagging{TagSet: tags},
	}); err != nil {
		return err
	}
	get := func() ([]types.Tag, error) {
		out, err := s.s3.GetBucketTagging(ctx, &s3.GetBucketTaggingInput{Bucket: s.bucket})
		if err != nil {
			return nil, err
		}
		return out.TagSet, nil
	}
	if err := s.tagsAre(get, tags); err != nil {
		return err
	}
	if _, err := s.s3.DeleteBucketTagging(ctx, &s3.DeleteBucketTaggingInput{Bucket: s.bucket}); err != nil {
		return err
	}
	_, err := get()
	if err := check.Rejected(err, "NoSuchTagSet"); err != nil {
		return err
	}
	_, err = s.s3.HeadBucket(ctx, &s3.HeadBucketInput{Bucket: s.bucket})
	return err
}
