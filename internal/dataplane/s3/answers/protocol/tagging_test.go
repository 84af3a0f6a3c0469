package protocol_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/test/s3test"
)

func tags(pairs ...string) *types.Tagging {
	set := &types.Tagging{TagSet: []types.Tag{}}
	for _, pair := range pairs {
		key, value, _ := strings.Cut(pair, "=")
		set.TagSet = append(set.TagSet, types.Tag{Key: aws.String(key), Value: aws.String(value)})
	}
	return set
}

func numbered(n int) (pairs []string) {
	for i := range n {
		pairs = append(pairs, fmt.Sprintf("key%02d=value", i))
	}
	return pairs
}

var tagSets = map[string]struct {
	reason string
	pairs  []string
	want   string // the code, for objects
}{
	"One":       {"The common case.", []string{"a=b"}, ""},
	"None":      {"An empty set removes all.", nil, ""},
	"Empty":     {"A value may be empty.", []string{"a="}, ""},
	"Letters":   {"Of any language, and some more.", []string{"größe=大 + - = . _ : / @"}, ""},
	"Ten":       {"The most.", numbered(10), ""},
	"Eleven":    {"One more.", numbered(11), "BadRequest"},
	"LongKey":   {"128 characters, not bytes.", []string{strings.Repeat("ä", 128) + "=b"}, ""},
	"LongerKey": {"One more.", []string{strings.Repeat("a", 129) + "=b"}, "InvalidTag"},
	"Long":      {"256 characters.", []string{"a=" + strings.Repeat("ä", 256)}, ""},
	"Longer":    {"One more.", []string{"a=" + strings.Repeat("a", 257)}, "InvalidTag"},
	"NoKey":     {"Nothing to find it by.", []string{"=b"}, "InvalidTag"},
	"Twice":     {"Which one counts?", []string{"a=1", "a=2"}, "InvalidTag"},
	"System":    {"Amazon's own.", []string{"aws:a=b"}, "InvalidTag"},
	"Character": {"Not among those that S3 allows.", []string{"a=b;c"}, "InvalidTag"},
}

func TestObjectTagging(t *testing.T) {
	a := s3test.NewApp(t)
	for name, tc := range tagSets {
		t.Run(name, func(t *testing.T) {
			a := a.In(t)
			a.Put("k", "content", func(in *s3.PutObjectInput) { in.Tagging = new("before=1") })
			etag := *a.Head("k", "").ETag
			_, err := a.S3.PutObjectTagging(t.Context(), &s3.PutObjectTaggingInput{Bucket: a.Bucket, Key: new("k"), Tagging: tags(tc.pairs...)})
			a.Rejected(tc.reason, err, tc.want)
			want := tc.pairs
			if tc.want != "" {
				want = []string{"before=1"}
			}
			out, err := a.S3.GetObjectTagging(t.Context(), &s3.GetObjectTaggingInput{Bucket: a.Bucket, Key: new("k")})
			a.Must(err)
			if diff := cmp.Diff(want, s3test.DescribeTags(out.TagSet)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
			if head := a.Head("k", ""); int(aws.ToInt32(head.TagCount)) != len(want) || *head.ETag != etag {
				t.Errorf("%s\nHeadObject() counts %d tags, and has the ETag %s, which was %s", tc.reason, aws.ToInt32(head.TagCount), *head.ETag, etag)
			}
		})
	}
}

func TestBucketTagging(t *testing.T) {
	a := s3test.NewApp(t, func(b *fakedriver.BucketSpec) { b.Tags = map[string]string{"from": "class"} })
	get := func(reason, want string, pairs ...string) {
		t.Helper()
		out, err := a.S3.GetBucketTagging(t.Context(), &s3.GetBucketTaggingInput{Bucket: a.Bucket})
		a.Rejected(reason, err, want)
		if err != nil {
			return
		}
		if diff := cmp.Diff(pairs, s3test.DescribeTags(out.TagSet)); diff != "" {
			t.Errorf("%s: -want, +got:\n%s", reason, diff)
		}
	}
	set := func(reason, want string, pairs ...string) {
		t.Helper()
		_, err := a.S3.PutBucketTagging(t.Context(), &s3.PutBucketTaggingInput{Bucket: a.Bucket, Tagging: tags(pairs...)})
		a.Rejected(reason, err, want)
	}
	get("what the bucket began with", "", "from=class")
	set("fifty, the most", "", numbered(50)...)
	get("the new ones instead", "", numbered(50)...)
	set("one more", "BadRequest", numbered(51)...)
	get("what was rejected has changed nothing", "", numbered(50)...)
	_, err := a.S3.DeleteBucketTagging(t.Context(), &s3.DeleteBucketTaggingInput{Bucket: a.Bucket})
	a.Must(err)
	get("none is an error", "NoSuchTagSet")
}

func TestTaggingNothing(t *testing.T) {
	a := s3test.NewApp(t)
	_, err := a.S3.PutObjectTagging(t.Context(), &s3.PutObjectTaggingInput{Bucket: a.Bucket, Key: new("k"), Tagging: tags("a=b")})
	a.Rejected("tags on nothing", err, "NoSuchKey")
	_, err = a.S3.GetObjectTagging(t.Context(), &s3.GetObjectTaggingInput{Bucket: a.Bucket, Key: new("k")})
	a.Rejected("tags of nothing", err, "NoSuchKey")
	if got := a.Document("PUT", "?tagging", "<Tagging>"); s3test.Code(t, got.Body) != "MalformedXML" {
		t.Errorf("half a document: %s", got.Body)
	}
	a.Put("k", "")
	_, err = a.S3.GetObjectTagging(t.Context(), &s3.GetObjectTaggingInput{Bucket: a.Bucket, Key: new("k")})
	a.Rejected("no tags", err, "")
	_, err = a.S3.DeleteObjectTagging(t.Context(), &s3.DeleteObjectTaggingInput{Bucket: a.Bucket, Key: new("k")})
	a.Rejected("no tags to delete", err, "")
}
