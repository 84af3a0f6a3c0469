package store_test

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
)

// TestUploadETag: the ETag of an upload is the same in all responses.
func TestUploadETag(t *testing.T) {
	a := newApp(t, versioned)
	u := a.begin("k", func(in *s3.CreateMultipartUploadInput) {
		in.ContentType, in.Metadata, in.Tagging = ptr("text/plain"), map[string]string{"a": "b"}, ptr("c=d")
	})
	done, err := a.complete(u, a.part(u, 1, minPart), a.part(u, 2, "end"))
	a.must(err)
	if !strings.HasSuffix(*done.ETag, `-2"`) || *done.Bucket != "photos" || *done.Key != "k" ||
		!strings.HasSuffix(*done.Location, "/photos/k") {
		t.Errorf("CompleteMultipartUpload() = %+v", done)
	}
	content, got := a.read("k", "")
	if content != minPart+"end" || *got.ContentType != "text/plain" || got.Metadata["a"] != "b" || aws.ToInt32(got.TagCount) != 1 {
		t.Errorf("GetObject() = %d bytes, %+v", len(content), got)
	}
	list, err := a.s3.ListObjectsV2(t.Context(), &s3.ListObjectsV2Input{Bucket: a.bucket})
	a.must(err)
	versions, err := a.s3.ListObjectVersions(t.Context(), &s3.ListObjectVersionsInput{Bucket: a.bucket})
	a.must(err)
	head := a.head("k", "")
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
	a := newApp(t)
	u := a.begin("k")
	small, big, last := a.part(u, 1, "small"), a.part(u, 2, minPart), a.part(u, 10000, "end")
	other := types.CompletedPart{PartNumber: aws.Int32(2), ETag: ptr(otherETag)}
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
		_, err := a.complete(u, tc.parts...)
		a.rejected(name+": "+tc.reason, err, tc.want)
	}
	if got := a.parts(u, 2); len(got) != 3 {
		t.Errorf("ListParts() = %d parts, want 3", len(got))
	}
	_, err := a.complete(u, big, last)
	a.must(err)
	if content, _ := a.read("k", ""); content != minPart+"end" {
		t.Errorf("the object has %d bytes", len(content))
	}
	_, err = a.complete(u, big)
	a.rejected("an upload that is completed, with other parts", err, "NoSuchUpload")
}

// TestCompleteAgain repeats a completion, like clients that have lost the response: it gets the
// same response, while its object exists.
func TestCompleteAgain(t *testing.T) {
	for name, change := range map[string]func(*fakedriver.BucketSpec){"versioned": versioned, "unversioned": func(*fakedriver.BucketSpec) {}} {
		t.Run(name, func(t *testing.T) {
			a := newApp(t, change)
			u := a.begin("k", func(in *s3.CreateMultipartUploadInput) { in.ChecksumAlgorithm = "SHA256" })
			first, last := a.part(u, 1, minPart), a.part(u, 2, "end")
			want, err := a.complete(u, first, last)
			a.must(err)
			got, err := a.complete(u, first, last)
			a.must(err)
			if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(*got), cmpopts.IgnoreFields(*got, "ResultMetadata")); diff != "" {
				t.Errorf("the second answer: -first, +second:\n%s", diff)
			}
			versions, err := a.s3.ListObjectVersions(t.Context(), &s3.ListObjectVersionsInput{Bucket: a.bucket})
			a.must(err)
			if len(versions.Versions) != 1 {
				t.Errorf("there are %d versions, want 1", len(versions.Versions))
			}
			_, err = a.complete(u, last)
			a.rejected("other parts", err, "NoSuchUpload")
			a.put("k", "newer")
			_, err = a.complete(u, first, last)
			a.rejected("after another upload", err, map[string]string{"versioned": "", "unversioned": "NoSuchUpload"}[name])
			if content, _ := a.read("k", ""); content != "newer" {
				t.Errorf("the object has %d bytes", len(content))
			}
		})
	}
}

func TestPartNumbers(t *testing.T) {
	a := newApp(t)
	u := a.begin("k")
	for number, want := range map[int32]string{-1: "InvalidArgument", 0: "InvalidArgument", 1: "", 10000: "", 10001: "InvalidArgument"} {
		_, err := a.s3.UploadPart(t.Context(), &s3.UploadPartInput{Bucket: a.bucket, Key: u.Key, UploadId: u.UploadId, PartNumber: &number})
		a.rejected(fmt.Sprint("part ", number), err, want)
	}
}

func TestReplacedPart(t *testing.T) {
	a := newApp(t)
	u := a.begin("k")
	before := a.part(u, 1, "before")
	after := a.part(u, 1, "after")
	_, err := a.complete(u, before)
	a.rejected("the part before", err, "InvalidPart")
	_, err = a.complete(u, after)
	a.must(err)
	if content, _ := a.read("k", ""); content != "after" {
		t.Errorf("the object is %q", content)
	}
}

func TestEmptyPart(t *testing.T) {
	a := newApp(t)
	u := a.begin("k")
	_, err := a.complete(u, a.part(u, 1, ""))
	a.must(err)
	if content, got := a.read("k", ""); content != "" || *got.ContentLength != 0 {
		t.Errorf("the object is %q", content)
	}
}

func TestAbort(t *testing.T) {
	a := newApp(t)
	u, other := a.begin("k"), a.begin("k")
	a.part(u, 1, "part")
	_, err := a.s3.AbortMultipartUpload(t.Context(), &s3.AbortMultipartUploadInput{Bucket: a.bucket, Key: u.Key, UploadId: u.UploadId})
	a.must(err)
	of := func(key string, id *string) map[string]error {
		_, parts := a.s3.ListParts(t.Context(), &s3.ListPartsInput{Bucket: a.bucket, Key: &key, UploadId: id})
		_, part := a.s3.UploadPart(t.Context(), &s3.UploadPartInput{Bucket: a.bucket, Key: &key, UploadId: id, PartNumber: aws.Int32(1)})
		_, abort := a.s3.AbortMultipartUpload(t.Context(), &s3.AbortMultipartUploadInput{Bucket: a.bucket, Key: &key, UploadId: id})
		return map[string]error{"ListParts": parts, "UploadPart": part, "AbortMultipartUpload": abort}
	}
	for name, err := range of("k", u.UploadId) {
		a.rejected(name+" of an upload that is aborted", err, "NoSuchUpload")
	}
	for name, err := range of("another", other.UploadId) {
		a.rejected(name+" of an upload of another key", err, "NoSuchUpload")
	}
	uploads, err := a.s3.ListMultipartUploads(t.Context(), &s3.ListMultipartUploadsInput{Bucket: a.bucket})
	a.must(err)
	if len(uploads.Uploads) != 1 || *uploads.Uploads[0].UploadId != *other.UploadId {
		t.Errorf("ListMultipartUploads() = %+v", uploads.Uploads)
	}
}

// TestListParts walks over the parts by pages of all sizes.
func TestListParts(t *testing.T) {
	a := newApp(t)
	u := a.begin("k")
	var want []int32
	for number := int32(1); number < 200; number += 29 {
		a.part(u, number, fmt.Sprint(number))
		want = append(want, number)
	}
	for size := int32(1); size <= 8; size++ {
		var got []int32
		for _, part := range a.parts(u, size) {
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
	a := newApp(t)
	u := a.begin("k")
	_, err := a.complete(u, a.part(u, 1, minPart), a.part(u, 7, "end"))
	a.must(err)
	got := a.raw("GET", "/k?partNumber=2", "")
	if got.status != 206 || got.body != "end" || got.header.Get("X-Amz-Mp-Parts-Count") != "2" ||
		got.header.Get("Content-Range") != fmt.Sprintf("bytes %d-%d/%d", len(minPart), len(minPart)+2, len(minPart)+3) {
		t.Errorf("GET of part 2 answered %d, %v: %.20q", got.status, got.header, got.body)
	}
	if got := a.raw("GET", "/k?partNumber=3", ""); got.status != 400 || code(t, got.body) != "InvalidPart" {
		t.Errorf("GET of part 3 answered %d: %s", got.status, got.body)
	}
}
