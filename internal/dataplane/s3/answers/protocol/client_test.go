package protocol_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/test/s3test"
)

func TestPutGetHead(t *testing.T) {
	_, c := s3test.Fixture(t, s3test.Options{})
	s3test.Put(t, c, "a/one", "first")
	s3test.Put(t, c, "a/two", "second")
	s3test.Put(t, c, "empty", "")

	if got := s3test.Get(t, c, "a/one"); got != "first" {
		t.Errorf("GetObject() = %q", got)
	}
	if got := s3test.Get(t, c, "empty"); got != "" {
		t.Errorf("GetObject() of an empty object = %q", got)
	}
	if got := s3test.Get(t, c, "a/one", func(in *s3.GetObjectInput) { in.Range = new("bytes=1-3") }); got != "irs" {
		t.Errorf("GetObject() of a range = %q", got)
	}
	head, err := c.HeadObject(t.Context(), &s3.HeadObjectInput{Bucket: new("photos"), Key: new("a/two")})
	if err != nil || aws.ToInt64(head.ContentLength) != 6 {
		t.Fatalf("HeadObject() = %+v, %v", head, err)
	}
	if diff := cmp.Diff(map[string]string{"colour": "red"}, head.Metadata); diff != "" {
		t.Errorf("user metadata: -want, +got:\n%s", diff)
	}
}

func TestListAndDelete(t *testing.T) {
	_, c := s3test.Fixture(t, s3test.Options{})
	for _, key := range []string{"a/one", "a/two", "empty"} {
		s3test.Put(t, c, key, "")
	}
	list, err := c.ListObjectsV2(t.Context(), &s3.ListObjectsV2Input{Bucket: new("photos"), Delimiter: new("/")})
	if err != nil || len(list.CommonPrefixes) != 1 || len(list.Contents) != 1 {
		t.Fatalf("ListObjectsV2() = %+v, %v", list, err)
	}
	if _, err := c.DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: new("photos"), Key: new("empty")}); err != nil {
		t.Fatalf("DeleteObject(): %v", err)
	}
	deleted, err := c.DeleteObjects(t.Context(), &s3.DeleteObjectsInput{Bucket: new("photos"), Delete: &types.Delete{
		Objects: []types.ObjectIdentifier{{Key: new("a/one")}, {Key: new("a/two")}},
	}})
	if err != nil || len(deleted.Deleted) != 2 {
		t.Fatalf("DeleteObjects() = %+v, %v", deleted, err)
	}
	list, err = c.ListObjectsV2(t.Context(), &s3.ListObjectsV2Input{Bucket: new("photos")})
	if err != nil || len(list.Contents) != 0 {
		t.Fatalf("ListObjectsV2() at the end = %+v, %v", list, err)
	}
}

func TestPaging(t *testing.T) {
	_, c := s3test.Fixture(t, s3test.Options{})
	want := []string{"k0", "k1", "k2", "k3", "k4"}
	for _, key := range want {
		s3test.Put(t, c, key, key)
	}
	var got []string
	pages := s3.NewListObjectsV2Paginator(c, &s3.ListObjectsV2Input{Bucket: new("photos"), MaxKeys: aws.Int32(2)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, object := range page.Contents {
			got = append(got, *object.Key)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("pages: -want, +got:\n%s", diff)
	}
}

func TestBucketCalls(t *testing.T) {
	s, c := s3test.Fixture(t, s3test.Options{})
	s.Bucket(t, "secret-plans")

	list, err := c.ListBuckets(t.Context(), &s3.ListBucketsInput{})
	if err != nil || len(list.Buckets) != 1 || *list.Buckets[0].Name != "photos" {
		t.Errorf("ListBuckets() = %+v, %v; want the granted bucket only", list, err)
	}
	if _, err := c.HeadBucket(t.Context(), &s3.HeadBucketInput{Bucket: new("photos")}); err != nil {
		t.Errorf("HeadBucket(): %v", err)
	}
	location, err := c.GetBucketLocation(t.Context(), &s3.GetBucketLocationInput{Bucket: new("photos")})
	if err != nil || string(location.LocationConstraint) != fakedriver.DefaultRegion {
		t.Errorf("GetBucketLocation() = %+v, %v", location, err)
	}
	versioning, err := c.GetBucketVersioning(t.Context(), &s3.GetBucketVersioningInput{Bucket: new("photos")})
	if err != nil || versioning.Status != "" {
		t.Errorf("GetBucketVersioning() = %+v, %v; want none", versioning, err)
	}
	acl, err := c.GetBucketAcl(t.Context(), &s3.GetBucketAclInput{Bucket: new("photos")})
	if err != nil || len(acl.Grants) != 1 || acl.Grants[0].Permission != types.PermissionFullControl {
		t.Errorf("GetBucketAcl() = %+v, %v; want the owner's", acl, err)
	}
}

func TestOddKeys(t *testing.T) {
	_, c := s3test.Fixture(t, s3test.Options{})
	for _, key := range []string{
		"a b", "a+b", "a%2Fb", "ü/ö", "a//b", "./here", "a/../b", "what?", "hash#tag", `quote"back\slash`,
		"trailing/", "&amp;<x>", "=;,:@!$'()*~", strings.Repeat("k", 1024),
	} {
		t.Run(key[:min(len(key), 20)], func(t *testing.T) {
			s3test.Put(t, c, key, "content of "+key)
			if got := s3test.Get(t, c, key); got != "content of "+key {
				t.Errorf("GetObject(%q) = %q", key, got)
			}
			copied, err := c.CopyObject(t.Context(), &s3.CopyObjectInput{
				Bucket: new("photos"), Key: new("copy"), CopySource: new("photos/" + escape(key)),
			})
			if err != nil || copied.CopyObjectResult == nil {
				t.Fatalf("CopyObject(%q): %v", key, err)
			}
			if got := s3test.Get(t, c, "copy"); got != "content of "+key {
				t.Errorf("copy of %q = %q", key, got)
			}
			list, err := c.ListObjectsV2(t.Context(), &s3.ListObjectsV2Input{Bucket: new("photos"), Prefix: new(key)})
			if err != nil || len(list.Contents) == 0 || *list.Contents[0].Key != key {
				t.Errorf("ListObjectsV2(%q) = %+v, %v", key, list, err)
			}
		})
	}
}

// escape percent-encodes a key as the SDK's documentation requires. A plus would be a space.
func escape(key string) string {
	return strings.NewReplacer("%2F", "/", "+", "%2B").Replace(url.PathEscape(key))
}

func TestMultipart(t *testing.T) {
	_, c := s3test.Fixture(t, s3test.Options{})
	create, err := c.CreateMultipartUpload(t.Context(), &s3.CreateMultipartUploadInput{Bucket: new("photos"), Key: new("big")})
	if err != nil {
		t.Fatalf("CreateMultipartUpload(): %v", err)
	}
	first, second := strings.Repeat("1", 5<<20), strings.Repeat("2", 100)
	var parts []types.CompletedPart
	for i, content := range []string{first, second} {
		number := aws.Int32(int32(i + 1))
		part, err := c.UploadPart(t.Context(), &s3.UploadPartInput{
			Bucket: new("photos"), Key: new("big"), UploadId: create.UploadId, PartNumber: number, Body: strings.NewReader(content),
		})
		if err != nil {
			t.Fatalf("UploadPart(): %v", err)
		}
		parts = append(parts, types.CompletedPart{ETag: part.ETag, PartNumber: number})
	}
	listed, err := c.ListParts(t.Context(), &s3.ListPartsInput{Bucket: new("photos"), Key: new("big"), UploadId: create.UploadId})
	if err != nil || len(listed.Parts) != 2 {
		t.Fatalf("ListParts() = %+v, %v", listed, err)
	}
	_, err = c.CompleteMultipartUpload(t.Context(), &s3.CompleteMultipartUploadInput{
		Bucket: new("photos"), Key: new("big"), UploadId: create.UploadId,
		MultipartUpload: &types.CompletedMultipartUpload{Parts: parts},
	})
	if err != nil {
		t.Fatalf("CompleteMultipartUpload(): %v", err)
	}
	if got := s3test.Get(t, c, "big"); got != first+second {
		t.Errorf("GetObject() has %d bytes", len(got))
	}
}

func TestPresigned(t *testing.T) {
	_, c := s3test.Fixture(t, s3test.Options{})
	presign := s3.NewPresignClient(c)
	upload, err := presign.PresignPutObject(t.Context(), &s3.PutObjectInput{Bucket: new("photos"), Key: new("a key")},
		s3.WithPresignExpires(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	if status, body := s3test.Send(t, http.MethodPut, upload.URL, upload.SignedHeader, "presigned"); status != http.StatusOK {
		t.Fatalf("PUT answered %d: %s", status, body)
	}
	download, err := presign.PresignGetObject(t.Context(), &s3.GetObjectInput{Bucket: new("photos"), Key: new("a key")},
		s3.WithPresignExpires(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	status, body := s3test.Send(t, http.MethodGet, download.URL, download.SignedHeader, "")
	if status != http.StatusOK || body != "presigned" {
		t.Errorf("GET answered %d: %s", status, body)
	}
}
