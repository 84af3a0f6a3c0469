package store_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/fakedriver"
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
	"Eleven":    {"One more.", numbered(11), "InvalidTag"},
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
	a := newApp(t)
	for name, tc := range tagSets {
		t.Run(name, func(t *testing.T) {
			a := a.in(t)
			a.put("k", "content", func(in *s3.PutObjectInput) { in.Tagging = ptr("before=1") })
			etag := *a.head("k", "").ETag
			_, err := a.s3.PutObjectTagging(t.Context(), &s3.PutObjectTaggingInput{Bucket: a.bucket, Key: ptr("k"), Tagging: tags(tc.pairs...)})
			a.rejected(tc.reason, err, tc.want)
			want := tc.pairs
			if tc.want != "" {
				want = []string{"before=1"}
			}
			out, err := a.s3.GetObjectTagging(t.Context(), &s3.GetObjectTaggingInput{Bucket: a.bucket, Key: ptr("k")})
			a.must(err)
			if diff := cmp.Diff(want, describeTags(out.TagSet)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
			if head := a.head("k", ""); int(aws.ToInt32(head.TagCount)) != len(want) || *head.ETag != etag {
				t.Errorf("%s\nHeadObject() counts %d tags, and has the ETag %s, which was %s", tc.reason, aws.ToInt32(head.TagCount), *head.ETag, etag)
			}
		})
	}
}

func TestBucketTagging(t *testing.T) {
	a := newApp(t, func(b *fakedriver.BucketSpec) { b.Tags = map[string]string{"from": "class"} })
	get := func(reason, want string, pairs ...string) {
		t.Helper()
		out, err := a.s3.GetBucketTagging(t.Context(), &s3.GetBucketTaggingInput{Bucket: a.bucket})
		a.rejected(reason, err, want)
		if err != nil {
			return
		}
		if diff := cmp.Diff(pairs, describeTags(out.TagSet)); diff != "" {
			t.Errorf("%s: -want, +got:\n%s", reason, diff)
		}
	}
	set := func(reason, want string, pairs ...string) {
		t.Helper()
		_, err := a.s3.PutBucketTagging(t.Context(), &s3.PutBucketTaggingInput{Bucket: a.bucket, Tagging: tags(pairs...)})
		a.rejected(reason, err, want)
	}
	get("what the bucket began with", "", "from=class")
	set("fifty, the most", "", numbered(50)...)
	get("the new ones instead", "", numbered(50)...)
	set("one more", "InvalidTag", numbered(51)...)
	get("what was rejected has changed nothing", "", numbered(50)...)
	_, err := a.s3.DeleteBucketTagging(t.Context(), &s3.DeleteBucketTaggingInput{Bucket: a.bucket})
	a.must(err)
	get("none is an error", "NoSuchTagSet")
}

// TestTagsInHeaders are tags that are sent with an object.
func TestTagsInHeaders(t *testing.T) {
	a := newApp(t)
	a.put("k", "content", func(in *s3.PutObjectInput) { in.Tagging = ptr("a=b%20c&d=") })
	out, err := a.s3.GetObjectTagging(t.Context(), &s3.GetObjectTaggingInput{Bucket: a.bucket, Key: ptr("k")})
	a.must(err)
	if diff := cmp.Diff([]string{"a=b c", "d="}, describeTags(out.TagSet)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	for header, want := range map[string]string{"a=1&a=2": "InvalidTag", "a=%zz": "InvalidArgument", "=b": "InvalidTag"} {
		if got := a.raw("PUT", "/k", "new", "X-Amz-Tagging", header); got.status != 400 || code(t, got.body) != want {
			t.Errorf("x-amz-tagging: %s answered %d: %s", header, got.status, got.body)
		}
	}
	for _, grant := range grants() {
		grant.Bucket = *a.bucket
		id := fmt.Sprintf("%s-%s-%s", grant.ObjectData, grant.ObjectMetadata, grant.BucketMetadata)
		want := ""
		if !writable(grant.ObjectData) || !writable(grant.ObjectMetadata) {
			want = "AccessDenied"
		}
		c := a.store.client(t, a.store.account(t, id, grant))
		_, err := c.PutObject(t.Context(), &s3.PutObjectInput{Bucket: a.bucket, Key: ptr("k"), Tagging: ptr("a=b")})
		a.rejected("a put with tags and "+id, err, want)
		_, err = c.CreateMultipartUpload(t.Context(), &s3.CreateMultipartUploadInput{Bucket: a.bucket, Key: ptr("k"), Tagging: ptr("a=b")})
		a.rejected("an upload with tags and "+id, err, want)
	}
}

func TestTaggingNothing(t *testing.T) {
	a := newApp(t)
	_, err := a.s3.PutObjectTagging(t.Context(), &s3.PutObjectTaggingInput{Bucket: a.bucket, Key: ptr("k"), Tagging: tags("a=b")})
	a.rejected("tags on nothing", err, "NoSuchKey")
	_, err = a.s3.GetObjectTagging(t.Context(), &s3.GetObjectTaggingInput{Bucket: a.bucket, Key: ptr("k")})
	a.rejected("tags of nothing", err, "NoSuchKey")
	if got := a.raw("PUT", "?tagging", "<Tagging>"); code(t, got.body) != "MalformedXML" {
		t.Errorf("half a document: %s", got.body)
	}
	a.put("k", "")
	_, err = a.s3.GetObjectTagging(t.Context(), &s3.GetObjectTaggingInput{Bucket: a.bucket, Key: ptr("k")})
	a.rejected("no tags", err, "")
	_, err = a.s3.DeleteObjectTagging(t.Context(), &s3.DeleteObjectTaggingInput{Bucket: a.bucket, Key: ptr("k")})
	a.rejected("no tags to delete", err, "")
}
