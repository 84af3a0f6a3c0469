package awsgo

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/check"
)

func (s *session) keys(ctx context.Context, prefix string) ([]string, error) {
	keys, _, err := s.pages(ctx, &s3.ListObjectsV2Input{Prefix: &prefix})
	return keys, err
}

// pages returns the keys and common prefixes of all pages. It asks for encoded
// ones, which the SDK leaves to its user: XML cannot say all that a key can.
func (s *session) pages(ctx context.Context, in *s3.ListObjectsV2Input) (keys, prefixes []string, err error) {
	in.Bucket, in.EncodingType = s.bucket, types.EncodingTypeUrl
	for pages := s3.NewListObjectsV2Paginator(s.s3, in); pages.HasMorePages(); {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, nil, err
		}
		for _, o := range page.Contents {
			keys = append(keys, *o.Key)
		}
		for _, p := range page.CommonPrefixes {
			prefixes = append(prefixes, *p.Prefix)
		}
	}
	return keys, prefixes, errors.Join(decode(keys), decode(prefixes))
}

func decode(encoded []string) error {
	for i := range encoded {
		decoded, err := url.QueryUnescape(encoded[i])
		if err != nil {
			return err
		}
		encoded[i] = decoded
	}
	return nil
}

func (s *session) putAll(ctx context.Context, keys ...string) error {
	for _, key := range keys {
		if err := s.put(ctx, key, nil); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) list(ctx context.Context) error {
	want := []string{"list/1", "list/2", "list/3"}
	if err := s.putAll(ctx, "list/3", "list/1", "list/2"); err != nil {
		return err
	}
	got, err := s.keys(ctx, "list/")
	if err != nil {
		return err
	}
	if err := check.Keys(got, want); err != nil {
		return err
	}
	old, err := s.s3.ListObjects(ctx, &s3.ListObjectsInput{Bucket: s.bucket, Prefix: new("list/"), Marker: new("list/1")})
	if err != nil {
		return fmt.Errorf("version 1: %w", err)
	}
	return check.Equal("the number of keys after a marker", len(old.Contents), 2)
}

func (s *session) paginate(ctx context.Context) error {
	want := []string{"pages/1", "pages/2", "pages/3", "pages/4", "pages/5"}
	if err := s.putAll(ctx, want...); err != nil {
		return err
	}
	got, _, err := s.pages(ctx, &s3.ListObjectsV2Input{Prefix: new("pages/"), MaxKeys: new(int32(2))})
	if err != nil {
		return err
	}
	return check.Keys(got, want)
}

func (s *session) delimiter(ctx context.Context) error {
	if err := s.putAll(ctx, "tree/a/1", "tree/a/2", "tree/a/3", "tree/b", "tree/c/1", "tree/c/2", "tree/d"); err != nil {
		return err
	}
	for _, size := range []int32{1, 2, 1000} {
		keys, prefixes, err := s.pages(ctx, &s3.ListObjectsV2Input{Prefix: new("tree/"), Delimiter: new("/"), MaxKeys: &size})
		if err != nil {
			return err
		}
		if err := check.Keys(keys, []string{"tree/b", "tree/d"}); err != nil {
			return err
		}
		if err := check.Keys(prefixes, []string{"tree/a/", "tree/c/"}); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) listBuckets(ctx context.Context) error {
	out, err := s.s3.ListBuckets(ctx, &s3.ListBucketsInput{})
	if err != nil {
		return err
	}
	var got []string
	for _, b := range out.Buckets {
		got = append(got, *b.Name)
	}
	return check.Keys(got, []string{*s.bucket})
}
