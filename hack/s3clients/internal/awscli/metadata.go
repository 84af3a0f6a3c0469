package awscli

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/check"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/plain"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/sample"
)

func (s *session) expectMetadata(ctx context.Context, key string, want map[string]string) error {
	var got struct{ Metadata map[string]string }
	if err := s.api(ctx, &got, "head-object", "--key", key); err != nil {
		return err
	}
	if !maps.Equal(got.Metadata, want) {
		return fmt.Errorf("the metadata are %v, not %v", got.Metadata, want)
	}
	return nil
}

func (s *session) metadata(ctx context.Context) error {
	if err := s.put(ctx, "metadata", nil, "--metadata", "Colour=blue,shape=round"); err != nil {
		return err
	}
	if err := s.expectMetadata(ctx, "metadata", map[string]string{"colour": "blue", "shape": "round"}); err != nil {
		return err
	}
	if err := s.put(ctx, "metadata", nil, "--metadata", "size=big"); err != nil {
		return err
	}
	return s.expectMetadata(ctx, "metadata", map[string]string{"size": "big"})
}

func (s *session) headers(ctx context.Context) error {
	type described struct{ CacheControl, ContentDisposition, ContentType, ContentLanguage, ContentEncoding string }
	want := described{"max-age=60", `attachment; filename="a b.txt"`, "text/x-test", "de", "br"}
	if err := s.put(ctx, "headers", nil, "--cache-control", want.CacheControl, "--content-disposition", want.ContentDisposition,
		"--content-type", want.ContentType, "--content-language", want.ContentLanguage, "--content-encoding", want.ContentEncoding); err != nil {
		return err
	}
	var got described
	if err := s.api(ctx, &got, "head-object", "--key", "headers"); err != nil {
		return err
	}
	return check.Equal("what came back", got, want)
}

func (s *session) attributes(ctx context.Context) error {
	if err := s.prepareContent(ctx, sample.Content(7, sample.Small), "attributes"); err != nil {
		return err
	}
	var head, got struct {
		ETag       string
		ObjectSize int
	}
	if err := s.api(ctx, &head, "head-object", "--key", "attributes"); err != nil {
		return err
	}
	if err := s.api(ctx, &got, "get-object-attributes", "--key", "attributes", "--object-attributes", "ETag", "ObjectSize"); err != nil {
		return err
	}
	if err := check.Equal("the ETag", `"`+got.ETag+`"`, head.ETag); err != nil {
		return err
	}
	return check.Equal("the size", got.ObjectSize, sample.Small)
}

const tagging = `{"TagSet": [{"Key": "colour", "Value": "blue"}, {"Key": "shape", "Value": "a b"}]}`

type tagSet struct {
	TagSet []struct{ Key, Value string }
}

func (t tagSet) expect(want int) error {
	if err := check.Equal("the number of tags", len(t.TagSet), want); err != nil || want == 0 {
		return err
	}
	return check.Equal("the last tag", t.TagSet[1].Value, "a b")
}

func (s *session) objectTagging(ctx context.Context) error {
	content := sample.Content(8, sample.Small)
	if err := s.prepareContent(ctx, content, "tagging"); err != nil {
		return err
	}
	if err := s.api(ctx, nil, "put-object-tagging", "--key", "tagging", "--tagging", tagging); err != nil {
		return err
	}
	var got, left tagSet
	if err := s.api(ctx, &got, "get-object-tagging", "--key", "tagging"); err != nil {
		return err
	}
	if err := got.expect(2); err != nil {
		return err
	}
	if err := s.api(ctx, nil, "delete-object-tagging", "--key", "tagging"); err != nil {
		return err
	}
	if err := s.api(ctx, &left, "get-object-tagging", "--key", "tagging"); err != nil {
		return err
	}
	if err := left.expect(0); err != nil {
		return err
	}
	return s.expect(ctx, "tagging", content)
}

func (s *session) bucketTagging(ctx context.Context) error {
	if err := s.api(ctx, nil, "put-bucket-tagging", "--tagging", tagging); err != nil {
		return err
	}
	var got tagSet
	if err := s.api(ctx, &got, "get-bucket-tagging"); err != nil {
		return err
	}
	if err := got.expect(2); err != nil {
		return err
	}
	if err := s.api(ctx, nil, "delete-bucket-tagging"); err != nil {
		return err
	}
	return check.Rejected(s.api(ctx, nil, "get-bucket-tagging"), "NoSuchTagSet")
}

func (s *session) checksum(algorithm string) func(context.Context) error {
	field, key := "Checksum"+algorithm, "checksum/"+algorithm
	return func(ctx context.Context) error {
		path, err := s.upload(sample.Content(9, sample.Small))
		if err != nil {
			return err
		}
		put, got := map[string]any{}, map[string]any{}
		if err := s.api(ctx, &put, "put-object", "--key", key, "--body", path, "--checksum-algorithm", algorithm); err != nil {
			return err
		}
		if err := s.api(ctx, &got, "head-object", "--key", key, "--checksum-mode", "ENABLED"); err != nil {
			return err
		}
		if put[field] == nil {
			return fmt.Errorf("no %s came back", field)
		}
		if err := check.Equal(field, got[field], put[field]); err != nil {
			return err
		}
		return s.expect(ctx, key, sample.Content(9, sample.Small), "--checksum-mode", "ENABLED")
	}
}

func (s *session) presignedGet(ctx context.Context) error {
	content := sample.Content(10, sample.Small)
	if err := s.prepareContent(ctx, content, "presigned get"); err != nil {
		return err
	}
	out, err := s.Run(ctx, "s3", "presign", s.url("presigned get"))
	if err != nil {
		return err
	}
	return plain.Get(ctx, s.Secret, s.Proxy, strings.TrimSpace(out), content)
}
