package store_test

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/cosi-emu/cosi-emu/fakedriver"
)

func limited(quota fakedriver.Quota) func(*fakedriver.BucketSpec) {
	return func(b *fakedriver.BucketSpec) { b.Quota = quota }
}

func (a *app) attempt(key, content string) string {
	a.Helper()
	_, err := a.s3.PutObject(a.Context(), &s3.PutObjectInput{Bucket: a.bucket, Key: &key, Body: strings.NewReader(content)})
	return failure(a.T, err)
}

func TestQuotaOfBytes(t *testing.T) {
	a := newApp(t, limited(fakedriver.Quota{Bytes: 10}))
	for _, step := range []struct {
		reason, key, content, want string
	}{
		{"as much as there may be", "a", "0123456789", ""},
		{"nothing more", "b", "0", "QuotaExceeded"},
		{"but what has no bytes", "empty", "", ""},
		{"a smaller object in its place", "a", "01234", ""},
		{"which makes room", "b", "56789", ""},
		{"not for a greater one", "b", "567890", "QuotaExceeded"},
	} {
		if got := a.attempt(step.key, step.content); got != step.want {
			t.Errorf("%s: %q, want %q", step.reason, got, step.want)
		}
	}
	if content, _ := a.read("b", ""); content != "56789" {
		t.Errorf("what was rejected has changed the object to %q", content)
	}
	a.rejected("a copy", a.copy("a", "c"), "QuotaExceeded")
	a.remove("b", "")
	a.rejected("a copy after deletion", a.copy("a", "c"), "")
}

func TestQuotaOfObjects(t *testing.T) {
	a := newApp(t, limited(fakedriver.Quota{Objects: 2}))
	a.put("a", "")
	a.put("b", "")
	if got := a.attempt("c", ""); got != "QuotaExceeded" {
		t.Errorf("one more: %q", got)
	}
	if got := a.attempt("a", "again"); got != "" {
		t.Errorf("an object in its own place: %q", got)
	}
	_, err := a.condemn(false, named("a"))
	a.must(err)
	if got := a.attempt("c", ""); got != "" {
		t.Errorf("after deletion: %q", got)
	}
}

// TestQuotaOfVersions: all versions count.
func TestQuotaOfVersions(t *testing.T) {
	a := newApp(t, versioned, limited(fakedriver.Quota{Bytes: 10}))
	old := a.put("k", "01234").VersionId
	a.put("k", "56789")
	if got := a.attempt("k", "x"); got != "QuotaExceeded" {
		t.Errorf("a third version: %q", got)
	}
	a.remove("k", "")
	if got := a.attempt("k", "x"); got != "QuotaExceeded" {
		t.Errorf("after a marker, which frees nothing: %q", got)
	}
	a.remove("k", *old)
	if got := a.attempt("k", "x"); got != "" {
		t.Errorf("after a version is deleted: %q", got)
	}
}

// TestQuotaOfUploads: parts count while the upload is in progress.
func TestQuotaOfUploads(t *testing.T) {
	a := newApp(t, limited(fakedriver.Quota{Bytes: 10, Objects: 1}))
	u := a.begin("k")
	first := a.part(u, 1, "01234567")
	_, err := a.s3.UploadPart(t.Context(), &s3.UploadPartInput{
		Bucket: a.bucket, Key: u.Key, UploadId: u.UploadId, PartNumber: aws.Int32(2), Body: strings.NewReader("890"),
	})
	a.rejected("another part", err, "QuotaExceeded")
	if got := a.attempt("other", "890"); got != "QuotaExceeded" {
		t.Errorf("an object besides: %q", got)
	}
	other := a.begin("other")
	part := a.part(other, 1, "89")
	_, err = a.complete(u, first)
	a.must(err)
	_, err = a.complete(other, part)
	a.rejected("a second object", err, "QuotaExceeded")
	_, err = a.s3.AbortMultipartUpload(t.Context(), &s3.AbortMultipartUploadInput{Bucket: a.bucket, Key: other.Key, UploadId: other.UploadId})
	a.must(err)
	if got := a.attempt("k", "0123456789"); got != "" {
		t.Errorf("after the upload is aborted: %q", got)
	}
}
