package s3op_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/test/s3test"
)

// stage is a bucket with something for every operation to read or to destroy: an object "k" with
// tags, tags of its own, an upload of "k" with a part.
type stage struct {
	*s3test.Server

	bucket string
	admin  *s3.Client
	upload string
	part   string // its ETag
}

// furnish creates a bucket and fills it.
func furnish(t *testing.T, s *s3test.Server, admin *s3.Client, bucket string) *stage {
	t.Helper()
	s.Bucket(t, bucket, func(b *fakedriver.BucketSpec) {
		b.Tags, b.Purge, b.ObjectLock = map[string]string{"team": "a"}, true, true
	})
	g := &stage{Server: s, bucket: bucket, admin: admin}
	_, err := admin.PutObject(t.Context(), &s3.PutObjectInput{
		Bucket: &bucket, Key: new("k"), Body: strings.NewReader("kept"), Tagging: new("a=b"), Metadata: map[string]string{"colour": "red"},
	})
	if err != nil {
		t.Fatal(err)
	}
	created, err := admin.CreateMultipartUpload(t.Context(), &s3.CreateMultipartUploadInput{Bucket: &bucket, Key: new("k")})
	if err != nil {
		t.Fatal(err)
	}
	g.upload = *created.UploadId
	part, err := admin.UploadPart(t.Context(), &s3.UploadPartInput{
		Bucket: &bucket, Key: new("k"), UploadId: created.UploadId, PartNumber: aws.Int32(1), Body: strings.NewReader("part"),
	})
	if err != nil {
		t.Fatal(err)
	}
	g.part = strings.Trim(*part.ETag, `"`)
	return g
}

// snapshot returns everything that can be read of the bucket.
func (g *stage) snapshot(t *testing.T) []string {
	t.Helper()
	bucket, key := &g.bucket, new("k")
	var all []string
	note := func(what string, seen any, err error) {
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		all = append(all, fmt.Sprintf("%s: %+v", what, seen))
	}
	versions, err := g.admin.ListObjectVersions(t.Context(), &s3.ListObjectVersionsInput{Bucket: bucket})
	note("versions", describeVersions(versions), err)
	object, err := g.admin.GetObject(t.Context(), &s3.GetObjectInput{Bucket: bucket, Key: key})
	note("object", nil, err)
	content, err := io.ReadAll(object.Body)
	note("content", string(content), err)
	note("metadata", []any{object.Metadata, *object.ETag, object.LastModified, *object.ContentType}, object.Body.Close())
	tags, err := g.admin.GetObjectTagging(t.Context(), &s3.GetObjectTaggingInput{Bucket: bucket, Key: key})
	note("tags", s3test.DescribeTags(tags.TagSet), err)
	bucketTags, err := g.admin.GetBucketTagging(t.Context(), &s3.GetBucketTaggingInput{Bucket: bucket})
	note("bucket's tags", s3test.DescribeTags(bucketTags.TagSet), err)
	allowed, err := g.admin.GetBucketCors(t.Context(), &s3.GetBucketCorsInput{Bucket: bucket})
	if s3test.Failure(t, err) == "NoSuchCORSConfiguration" {
		allowed, err = &s3.GetBucketCorsOutput{}, nil
	}
	note("rules", len(allowed.CORSRules), err)
	versioning, err := g.admin.GetBucketVersioning(t.Context(), &s3.GetBucketVersioningInput{Bucket: bucket})
	note("versioning", versioning.Status, err)
	uploads, err := g.admin.ListMultipartUploads(t.Context(), &s3.ListMultipartUploadsInput{Bucket: bucket})
	note("uploads", len(uploads.Uploads), err)
	parts, err := g.admin.ListParts(t.Context(), &s3.ListPartsInput{Bucket: bucket, Key: key, UploadId: &g.upload})
	note("parts", len(parts.Parts), err)
	note("part", []any{*parts.Parts[0].ETag, *parts.Parts[0].LastModified}, nil)
	return all
}

func describeVersions(out *s3.ListObjectVersionsOutput) (all []string) {
	for _, v := range out.Versions {
		all = append(all, fmt.Sprint(*v.Key, *v.VersionId, *v.ETag, *v.LastModified))
	}
	for _, m := range out.DeleteMarkers {
		all = append(all, fmt.Sprint("marker", *m.Key, *m.VersionId))
	}
	return all
}
