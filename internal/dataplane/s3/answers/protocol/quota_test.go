package protocol_test

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/test/s3test"
)

func attemptPut(a *s3test.App, key, content string) string {
	a.Helper()
	_, err := a.S3.PutObject(a.Context(), &s3.PutObjectInput{Bucket: a.Bucket, Key: &key, Body: strings.NewReader(content)})
	return s3test.Failure(a.T, err)
}

func TestQuotaOfBytes(t *testing.T) {
	a := s3test.NewApp(t, s3test.Limited(fakedriver.Quota{Bytes: 10}))
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
		if got := attemptPut(a, step.key, step.content); got != step.want {
			t.Errorf("%s: %q, want %q", step.reason, got, step.want)
		}
	}
	if content, _ := a.Read("b", ""); content != "56789" {
		t.Errorf("what was rejected has changed the object to %q", content)
	}
	a.Rejected("a copy", copyObject(a, "a", "c"), "QuotaExceeded")
	a.Remove("b", "")
	a.Rejected("a copy after deletion", copyObject(a, "a", "c"), "")
}

func TestQuotaOfObjects(t *testing.T) {
	a := s3test.NewApp(t, s3test.Limited(fakedriver.Quota{Objects: 2}))
	a.Put("a", "")
	a.Put("b", "")
	if got := attemptPut(a, "c", ""); got != "QuotaExceeded" {
		t.Errorf("one more: %q", got)
	}
	if got := attemptPut(a, "a", "again"); got != "" {
		t.Errorf("an object in its own place: %q", got)
	}
	_, err := condemn(a, false, named("a"))
	a.Must(err)
	if got := attemptPut(a, "c", ""); got != "" {
		t.Errorf("after deletion: %q", got)
	}
}

// TestQuotaOfVersions: all versions count.
func TestQuotaOfVersions(t *testing.T) {
	a := s3test.NewApp(t, s3test.Versioned, s3test.Limited(fakedriver.Quota{Bytes: 10}))
	old := a.Put("k", "01234").VersionId
	a.Put("k", "56789")
	if got := attemptPut(a, "k", "x"); got != "QuotaExceeded" {
		t.Errorf("a third version: %q", got)
	}
	a.Remove("k", "")
	if got := attemptPut(a, "k", "x"); got != "QuotaExceeded" {
		t.Errorf("after a marker, which frees nothing: %q", got)
	}
	a.Remove("k", *old)
	if got := attemptPut(a, "k", "x"); got != "" {
		t.Errorf("after a version is deleted: %q", got)
	}
}

// TestQuotaOfUploads: parts count while the upload is in progress.
func TestQuotaOfUploads(t *testing.T) {
	a := s3test.NewApp(t, s3test.Limited(fakedriver.Quota{Bytes: 10, Objects: 1}))
	u := a.Begin("k")
	first := a.Part(u, 1, "01234567")
	_, err := a.S3.UploadPart(t.Context(), &s3.UploadPartInput{
		Bucket: a.Bucket, Key: u.Key, UploadId: u.UploadId, PartNumber: aws.Int32(2), Body: strings.NewReader("890"),
	})
	a.Rejected("another part", err, "QuotaExceeded")
	if got := attemptPut(a, "other", "890"); got != "QuotaExceeded" {
		t.Errorf("an object besides: %q", got)
	}
	other := a.Begin("other")
	part := a.Part(other, 1, "89")
	_, err = a.Complete(u, first)
	a.Must(err)
	_, err = a.Complete(other, part)
	a.Rejected("a second object", err, "QuotaExceeded")
	_, err = a.S3.AbortMultipartUpload(t.Context(), &s3.AbortMultipartUploadInput{Bucket: a.Bucket, Key: other.Key, UploadId: other.UploadId})
	a.Must(err)
	if got := attemptPut(a, "k", "0123456789"); got != "" {
		t.Errorf("after the upload is aborted: %q", got)
	}
}
