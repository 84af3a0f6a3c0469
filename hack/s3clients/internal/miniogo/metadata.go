package miniogo

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/tags"

	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/check"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/sample"
)

// expectMetadata compares metadata without regard to case: minio-go reads them
// from canonical headers.
func (s *session) expectMetadata(ctx context.Context, key string, want map[string]string) error {
	info, err := s.StatObject(ctx, s.bucket, key, minio.StatObjectOptions{})
	if err != nil {
		return err
	}
	got := map[string]string{}
	for name, value := range info.UserMetadata {
		got[strings.ToLower(name)] = value
	}
	if !maps.Equal(got, want) {
		return fmt.Errorf("the metadata are %v, not %v", got, want)
	}
	return nil
}

func (s *session) metadata(ctx context.Context) error {
	for _, want := range []map[string]string{{"colour": "blue", "shape": "round"}, {"size": "big"}} {
		if _, err := s.put(ctx, "metadata", nil, minio.PutObjectOptions{UserMetadata: want}); err != nil {
			return err
		}
		if err := s.expectMetadata(ctx, "metadata", want); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) headers(ctx context.Context) error {
	_, err := s.put(ctx, "headers", nil, minio.PutObjectOptions{
		CacheControl: "max-age=60", ContentDisposition: `attachment; filename="a b.txt"`,
		ContentType: "text/x-test", ContentLanguage: "de", ContentEncoding: "br",
	})
	if err != nil {
		return err
	}
	got, err := s.StatObject(ctx, s.bucket, "headers", minio.StatObjectOptions{})
	if err != nil {
		return err
	}
	for name, want := range map[string]string{
		"Cache-Control": "max-age=60", "Content-Disposition": `attachment; filename="a b.txt"`, "Content-Type": "text/x-test",
		"Content-Language": "de", "Content-Encoding": "br",
	} {
		if err := check.Equal(name, got.Metadata.Get(name), want); err != nil {
			return err
		}
	}
	return nil
}

var tagMap = map[string]string{"colour": "blue", "shape": "a b"}

func (s *session) objectTagging(ctx context.Context) error {
	content := sample.Content(8, sample.Small)
	if _, err := s.put(ctx, "tagging", content, minio.PutObjectOptions{}); err != nil {
		return err
	}
	set, err := tags.NewTags(tagMap, true)
	if err != nil {
		return err
	}
	if err := s.PutObjectTagging(ctx, s.bucket, "tagging", set, minio.PutObjectTaggingOptions{}); err != nil {
		return err
	}
	get := func() (*tags.Tags, error) {
		return s.GetObjectTagging(ctx, s.bucket, "tagging", minio.GetObjectTaggingOptions{})
	}
	if err := expectTags(get, tagMap); err != nil {
		return err
	}
	if err := s.RemoveObjectTagging(ctx, s.bucket, "tagging", minio.RemoveObjectTaggingOptions{}); err != nil {
		return err
	}
	if err := expectTags(get, map[string]string{}); err != nil {
		return err
	}
	if err := s.expect(ctx, "tagging", content); err != nil {
		return err
	}
	if _, err := s.put(ctx, "tagging", nil, minio.PutObjectOptions{UserTags: tagMap}); err != nil {
		return err
	}
	return expectTags(get, tagMap)
}

func expectTags(get func() (*tags.Tags, error), want map[string]string) error {
	got, err := get()
	if err != nil {
		return err
	}
	if !maps.Equal(got.ToMap(), want) {
		return fmt.Errorf("the tags are %v, not %v", got.ToMap(), want)
	}
	return nil
}

func (s *session) bucketTagging(ctx context.Context) error {
	set, err := tags.NewTags(tagMap, false)
	if err != nil {
		return err
	}
	if err := s.SetBucketTagging(ctx, s.bucket, set); err != nil {
		return err
	}
	get := func() (*tags.Tags, error) { return s.GetBucketTagging(ctx, s.bucket) }
	if err := expectTags(get, tagMap); err != nil {
		return err
	}
	if err := s.RemoveBucketTagging(ctx, s.bucket); err != nil {
		return err
	}
	_, err = get()
	return rejected(err, "NoSuchTagSet")
}
