package s3op_test

import (
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/test/s3test"
)

// TestTagsInHeaders are tags that are sent with an object.
func TestTagsInHeaders(t *testing.T) {
	a := s3test.NewApp(t)
	a.Put("k", "content", func(in *s3.PutObjectInput) { in.Tagging = new("a=b%20c&d=") })
	out, err := a.S3.GetObjectTagging(t.Context(), &s3.GetObjectTaggingInput{Bucket: a.Bucket, Key: new("k")})
	a.Must(err)
	if diff := cmp.Diff([]string{"a=b c", "d="}, s3test.DescribeTags(out.TagSet)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	for header, want := range map[string]string{"a=1&a=2": "InvalidArgument", "a=%zz": "InvalidArgument", "=b": "InvalidTag"} {
		if got := a.Raw("PUT", "/k", "new", "X-Amz-Tagging", header); got.Status != 400 || s3test.Code(t, got.Body) != want {
			t.Errorf("x-amz-tagging: %s answered %d: %s", header, got.Status, got.Body)
		}
	}
	for _, grant := range grants() {
		grant.Bucket = *a.Bucket
		id := fmt.Sprintf("%s-%s-%s", grant.ObjectData, grant.ObjectMetadata, grant.BucketMetadata)
		want := ""
		if !writable(grant.ObjectData) || !writable(grant.ObjectMetadata) {
			want = "AccessDenied"
		}
		c := a.Store.Client(t, a.Store.Account(t, id, grant))
		_, err := c.PutObject(t.Context(), &s3.PutObjectInput{Bucket: a.Bucket, Key: new("k"), Tagging: new("a=b")})
		a.Rejected("a put with tags and "+id, err, want)
		_, err = c.CreateMultipartUpload(t.Context(), &s3.CreateMultipartUploadInput{Bucket: a.Bucket, Key: new("k"), Tagging: new("a=b")})
		a.Rejected("an upload with tags and "+id, err, want)
	}
}
