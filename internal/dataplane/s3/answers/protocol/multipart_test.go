package protocol_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/test/s3test"
)

// TestUploadETag: the ETag of an upload is the same in all responses.
func TestUploadETag(t *testing.T) {
	a := s3test.NewApp(t, s3test.Versioned)
	u := a.Begin("k", func(in *s3.CreateMultipartUploadInput) {
		in.ContentType, in.Metadata, in.Tagging = new("text/plain"), map[string]string{"a": "b"}, new("c=d")
	})
	done, err := a.Complete(u, a.Part(u, 1, s3test.MinPart), a.Part(u, 2, "end"))
	a.Must(err)
	if !strings.HasSuffix(*done.ETag, `-2"`) || *done.Bucket != "photos" || *done.Key != "k" ||
		!strings.HasSuffix(*done.Location, "/photos/k") {
		t.Errorf("CompleteMultipartUpload() = %+v", done)
	}
	content, got := a.Read("k", "")
	if content != s3test.MinPart+"end" || *got.ContentType != "text/plain" || got.Metadata["a"] != "b" || aws.ToInt32(got.TagCount) != 1 {
		t.Errorf("GetObject() = %d bytes, %+v", len(content), got)
	}
	list, err := a.S3.ListObjectsV2(t.Context(), &s3.ListObjectsV2Input{Bucket: a.Bucket})
	a.Must(err)
	versions, err := a.S3.ListObjectVersions(t.Context(), &s3.ListObjectVersionsInput{Bucket: a.Bucket})
	a.Must(err)
	head := a.Head("k", "")
	for what, etag := range map[string]string{
		"GetObject": *got.ETag, "HeadObject": *head.ETag,
		"ListObjectsV2": *list.Contents[0].ETag, "ListObjectVersions": *versions.Versions[0].ETag,
	} {
		if etag != *done.ETag {
			t.Errorf("%s has the ETag %s, want %s", what, etag, *done.ETag)
		}
	}
	if *done.VersionId != *head.VersionId {
		t.Errorf("completed as version %s, and it is %s", *done.VersionId, *head.VersionId)
	}
}

// TestUploadRejected names parts in all wrong ways; the upload continues after each.
func TestUploadRejected(t *testing.T) {
	a := s3test.NewApp(t)
	u := a.Begin("k")
	small, big, last := a.Part(u, 1, "small"), a.Part(u, 2, s3test.MinPart), a.Part(u, 10000, "end")
	other := types.CompletedPart{PartNumber: aws.Int32(2), ETag: new(otherETag)}
	missing := types.CompletedPart{PartNumber: aws.Int32(3), ETag: big.ETag}
	tests := map[string]struct {
		reason string
		parts  []types.CompletedPart
		want   string
	}{
		"TooSmall": {"Only the last part may be small.", []types.CompletedPart{small, big}, "EntityTooSmall"},
		"Order":    {"Numbers must rise.", []types.CompletedPart{last, big}, "InvalidPartOrder"},
		"Twice":    {"Each counts once.", []types.CompletedPart{big, big}, "InvalidPartOrder"},
		"ETag":     {"It is another part.", []types.CompletedPart{other}, "InvalidPart"},
		"Missing":  {"There is none.", []types.CompletedPart{missing}, "InvalidPart"},
		"None":     {"There must be some.", nil, "MalformedXML"},
		"Number0":  {"Counted from 1.", []types.CompletedPart{{PartNumber: aws.Int32(0), ETag: big.ETag}}, "InvalidArgument"},
		"Number":   {"At most 10,000.", []types.CompletedPart{{PartNumber: aws.Int32(10001), ETag: big.ETag}}, "InvalidArgument"},
	}
	for name, tc := range tests {
		_, err := a.Complete(u, tc.parts...)
		a.Rejected(name+": "+tc.reason, err, tc.want)
	}
	if got := a.Parts(u, 2); len(got) != 3 {
		t.Errorf("ListParts() = %d parts, want 3", len(got))
	}
	_, err := a.Complete(u, big, last)
	a.Must(err)
	if content, _ := a.Read("k", ""); content != s3test.MinPart+"end" {
		t.Errorf("the object has %d bytes", len(content))
	}
	_, err = a.Complete(u, big)
	a.Rejected("an upload that is completed, with other parts", err, "NoSuchUpload")
}

// TestCompleteAgain repeats a completion, like clients that have lost the response: it gets the
// same response, while its object exists.
func TestCompleteAgain(t *testing.T) {
	for name, change := range map[string]func(*fakedriver.BucketSpec){
		"versioned": s3test.Versioned, "unversioned": func(*fakedriver.BucketSpec) {},
	} {
		t.Run(name, func(t *testing.T) {
			a := s3test.NewApp(t, change)
			u := a.Begin("k", func(in *s3.CreateMultipartUploadInput) { in.ChecksumAlgorithm = "SHA256" })
			first, last := a.Part(u, 1, s3test.MinPart), a.Part(u, 2, "end")
			want, err := a.Complete(u, first, last)
			a.Must(err)
			got, err := a.Complete(u, first, last)
			a.Must(err)
			if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(*got), cmpopts.IgnoreFields(*got, "ResultMetadata")); diff != "" {
				t.Errorf("the second answer: -first, +second:\n%s", diff)
			}
			versions, err := a.S3.ListObjectVersions(t.Context(), &s3.ListObjectVersionsInput{Bucket: a.Bucket})
			a.Must(err)
			if len(versions.Versions) != 1 {
				t.Errorf("there are %d versions, want 1", len(versions.Versions))
			}
			_, err = a.Complete(u, last)
			a.Rejected("other parts", err, "NoSuchUpload")
			a.Put("k", "newer")
			_, err = a.Complete(u, first, last)
			a.Rejected("after another upload", err, map[string]string{"versioned": "", "unversioned": "NoSuchUpload"}[name])
			if content, _ := a.Read("k", ""); content != "newer" {
				t.Errorf("the object has %d bytes", len(content))
			}
		})
	}
}

func TestPartNumbers(t *testing.T) {
	a := s3test.NewApp(t)
	u := a.Begin("k")
	for number, want := range map[int32]string{-1: "InvalidArgument", 0: "InvalidArgument", 1: "", 10000: "", 10001: "InvalidArgument"} {
		_, err := a.S3.UploadPart(t.Context(), &s3.UploadPartInput{Bucket: a.Bucket, Key: u.Key, UploadId: u.UploadId, PartNumber: &number})
		a.Rejected(fmt.Sprint("part ", number), err, want)
	}
}

func TestReplacedPart(t *testing.T) {
	a := s3test.NewApp(t)
	u := a.Begin("k")
	before := a.Part(u, 1, "before")
	after := a.Part(u, 1, "after")
	_, err := a.Complete(u, before)
	a.Rejected("the part before", err, "InvalidPart")
	_, err = a.Complete(u, after)
	a.Must(err)
	if content, _ := a.Read("k", ""); content != "after" {
		t.Errorf("the object is %q", content)
	}
}

func TestEmptyPart(t *testing.T) {
	a := s3test.NewApp(t)
	u := a.Begin("k")
	_, err := a.Complete(u, a.Part(u, 1, ""))
	a.Must(err)
	if content, got := a.Read("k", ""); content != "" || *got.ContentLength != 0 {
		t.Errorf("the object is %q", content)
	}
}

func TestAbort(t *testing.T) {
	a := s3test.NewApp(t)
	u, other := a.Begin("k"), a.Begin("k")
	a.Part(u, 1, "part")
	_, err := a.S3.AbortMultipartUpload(t.Context(), &s3.AbortMultipartUploadInput{Bucket: a.Bucket, Key: u.Key, UploadId: u.UploadId})
	a.Must(err)
	of := func(key string, id *string) map[string]error {
		_, parts := a.S3.ListParts(t.Context(), &s3.ListPartsInput{Bucket: a.Bucket, Key: &key, UploadId: id})
		_, part := a.S3.UploadPart(t.Context(), &s3.UploadPartInput{Bucket: a.Bucket, Key: &key, UploadId: id, PartNumber: aws.Int32(1)})
		_, abort := a.S3.AbortMultipartUpload(t.Context(), &s3.AbortMultipartUploadInput{Bucket: a.Bucket, Key: &key, UploadId: id})
		return map[string]error{"ListParts": parts, "UploadPart": part, "AbortMultipartUpload": abort}
	}
	for name, err := range of("k", u.UploadId) {
		a.Rejected(name+" of an upload that is aborted", err, "NoSuchUpload")
	}
	for name, err := range of("another", other.UploadId) {
		a.Rejected(name+" of an upload of another key", err, "NoSuchUpload")
	}
	uploads, err := a.S3.ListMultipartUploads(t.Context(), &s3.ListMultipartUploadsInput{Bucket: a.Bucket})
	a.Must(err)
	if len(uploads.Uploads) != 1 || *uploads.Uploads[0].UploadId != *other.UploadId {
		t.Errorf("ListMultipartUploads() = %+v", uploads.Uploads)
	}
}

// TestListParts walks over the parts by pages of all sizes.
func TestListParts(t *testing.T) {
	a := s3test.NewApp(t)
	u := a.Begin("k")
	var want []int32
	for number := int32(1); number < 200; number += 29 {
		a.Part(u, number, fmt.Sprint(number))
		want = append(want, number)
	}
	for size := int32(1); size <= 8; size++ {
		var got []int32
		for _, part := range a.Parts(u, size) {
			got = append(got, *part.PartNumber)
			if int(*part.Size) != len(fmt.Sprint(*part.PartNumber)) || part.ETag == nil || part.LastModified == nil {
				t.Errorf("ListParts() has %+v", part)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("pages of %d: -want, +got:\n%s", size, diff)
		}
	}
}

// TestReadPart reads the parts of an object one by one.
func TestReadPart(t *testing.T) {
	a := s3test.NewApp(t)
	u := a.Begin("k")
	_, err := a.Complete(u, a.Part(u, 1, s3test.MinPart), a.Part(u, 7, "end"))
	a.Must(err)
	got := a.Raw("GET", "/k?partNumber=2", "")
	if got.Status != 206 || got.Body != "end" || got.Header.Get("X-Amz-Mp-Parts-Count") != "2" ||
		got.Header.Get("Content-Range") != fmt.Sprintf("bytes %d-%d/%d", len(s3test.MinPart), len(s3test.MinPart)+2, len(s3test.MinPart)+3) {
		t.Errorf("GET of part 2 answered %d, %v: %.20q", got.Status, got.Header, got.Body)
	}
	if got := a.Raw("GET", "/k?partNumber=3", ""); got.Status != 416 || s3test.Code(t, got.Body) != "InvalidPartNumber" {
		t.Errorf("GET of part 3 answered %d: %s", got.Status, got.Body)
	}
}
