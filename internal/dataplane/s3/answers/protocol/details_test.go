package protocol_test

import (
	"mime"
	"net/http"
	"regexp"
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

// TestConditionsDisclose: a key that may only write cannot learn ETags by trying.
func TestConditionsDisclose(t *testing.T) {
	s := s3test.Serve(t, s3test.Options{})
	s.Bucket(t, "photos")
	a := &s3test.App{T: t, Store: s, Bucket: new("photos"), Key: s.Account(t, "reader", s3test.AllAccess("photos"))}
	a.S3 = s.Client(t, a.Key)
	etag := *a.Put("k", "content").ETag
	writer := *a
	writer.Key = s.Account(t, "writer", fakedriver.Grant{Bucket: "photos", ObjectData: fakedriver.WriteOnly})
	deletion := "<Delete><Object><Key>k</Key><ETag>" + etag + "</ETag></Object></Delete>"
	digest := []string{"Content-Md5", s3test.MD5Of(deletion)}
	tests := map[string]struct {
		reason, method, target, body string
		header                       []string
		want                         int
	}{
		"Put":         {"It says whether the ETag is right.", "PUT", "/k", "new", []string{"If-Match", etag}, 403},
		"PutOther":    {"It says whether the ETag is wrong.", "PUT", "/k", "new", []string{"If-Match", `"x"`}, 403},
		"PutNot":      {"S3 has it for reading only.", "PUT", "/k", "new", []string{"If-None-Match", etag}, 501},
		"Delete":      {"It says whether the ETag is right.", "DELETE", "/k", "", []string{"If-Match", `"x"`}, 403},
		"Absent":      {"It says only whether there is an object.", "PUT", "/k", "new", []string{"If-None-Match", "*"}, 412},
		"DeleteMany":  {"The answer has an error for the object.", "POST", "?delete", deletion, digest, 200},
		"WithoutETag": {"Nothing is disclosed.", "PUT", "/other", "new", nil, 200},
	}
	for name, tc := range tests {
		got := writer.In(t).Raw(tc.method, tc.target, tc.body, tc.header...)
		if got.Status != tc.want || (name == "DeleteMany" && !strings.Contains(got.Body, "<Code>AccessDenied</Code>")) {
			t.Errorf("%s: %s\nanswer %d, want %d: %s", name, tc.reason, got.Status, tc.want, got.Body)
		}
	}
	if content, _ := a.Read("k", ""); content != "content" {
		t.Errorf("the object is %q", content)
	}
}

// TestHeadersAsSent: values that S3 returns unchanged.
func TestHeadersAsSent(t *testing.T) {
	a := s3test.NewApp(t)
	const unicode = "Grüße, 世界"
	tests := map[string]struct {
		reason       string
		header, want []string
	}{
		"Encodings": {"The space belongs to the value.", []string{"Content-Encoding", "deflate, gzip"}, nil},
		"Words": {"Headers carry Unicode in encoded words.",
			[]string{"X-Amz-Meta-A", mime.QEncoding.Encode("utf-8", unicode)},
			[]string{"X-Amz-Meta-A", mime.BEncoding.Encode("UTF-8", unicode)}},
		"Raw": {"As some clients send it.", []string{"X-Amz-Meta-A", unicode},
			[]string{"X-Amz-Meta-A", mime.BEncoding.Encode("UTF-8", unicode)}},
		"ASCII": {"It needs no encoding.", []string{"X-Amz-Meta-A", "a b=c?"}, nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			a, want := a.In(t), tc.want
			if want == nil {
				want = tc.header
			}
			a.Raw(http.MethodPut, "/k", "content", tc.header...)
			if got := a.Raw(http.MethodGet, "/k", "").Header.Get(want[0]); got != want[1] {
				t.Errorf("%s\n%s is %q, want %q", tc.reason, want[0], got, want[1])
			}
		})
	}
}

// TestListingDetails: keys are encoded as in URLs, times equal HEAD's, and an empty token is none.
func TestListingDetails(t *testing.T) {
	a := s3test.NewApp(t)
	for _, key := range []string{"a+b", "quux ab/cd", "x y"} {
		a.Put(key, "content")
	}
	got := a.Raw(http.MethodGet, "?list-type=2&encoding-type=url&delimiter=/&continuation-token=&prefix=", "").Body
	for _, want := range []string{
		"<Key>a%2Bb</Key>", "<Key>x%20y</Key>", "<Prefix>quux%20ab/</Prefix>",
		"<ContinuationToken></ContinuationToken>", "<KeyCount>3</KeyCount>",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the listing lacks %s: %s", want, got)
		}
	}
	if got := a.Raw(http.MethodGet, "?list-type=2", "").Body; strings.Contains(got, "ContinuationToken") {
		t.Errorf("the listing has a token that was not sent: %s", got)
	}
	list, err := a.S3.ListObjectsV2(t.Context(), &s3.ListObjectsV2Input{Bucket: a.Bucket})
	a.Must(err)
	listed := map[string]time.Time{}
	want := map[string]time.Time{}
	for _, object := range list.Contents {
		listed[*object.Key], want[*object.Key] = *object.LastModified, *a.Head(*object.Key, "").LastModified
	}
	if diff := cmp.Diff(want, listed); diff != "" {
		t.Errorf("times: -HEAD, +listing:\n%s", diff)
	}
}

// TestSuspendedMarker: a deletion while versioning is suspended is version null.
func TestSuspendedMarker(t *testing.T) {
	a := s3test.NewApp(t, s3test.Versioned)
	a.Put("k", "content")
	a.Configure(types.BucketVersioningStatusSuspended)
	if got := a.Remove("k", ""); aws.ToString(got.VersionId) != "null" || !aws.ToBool(got.DeleteMarker) {
		t.Errorf("DeleteObject() = version %q, marker %v", aws.ToString(got.VersionId), got.DeleteMarker)
	}
	a.Put("k", "content")
	out, err := a.S3.DeleteObjects(t.Context(), &s3.DeleteObjectsInput{Bucket: a.Bucket, Delete: &types.Delete{
		Objects: []types.ObjectIdentifier{{Key: new("k")}},
	}})
	a.Must(err)
	if got := out.Deleted[0]; aws.ToString(got.DeleteMarkerVersionId) != "null" || !aws.ToBool(got.DeleteMarker) {
		t.Errorf("DeleteObjects() = %+v", got)
	}
}

// TestOwnerIsAccount: documents name the account as the owner, and not its key, which changes.
func TestOwnerIsAccount(t *testing.T) {
	a := s3test.NewApp(t, s3test.Versioned)
	a.Put("k", "content")
	a.Remove("gone", "")
	u := a.Begin("parts")
	const owner = "<ID>app</ID><DisplayName>app</DisplayName>"
	tests := map[string]struct {
		reason, target string
		owners         int
	}{
		"ListObjects":          {"Of each object.", "", 1},
		"ListObjectsV2":        {"Of each object, on request.", "?list-type=2&fetch-owner=true", 1},
		"ListObjectsWithout":   {"Only on request.", "?list-type=2", 0},
		"ListObjectVersions":   {"Of each version and marker.", "?versions", 2},
		"ListMultipartUploads": {"Who began it, and whose it will be.", "?uploads", 2},
		"ListParts":            {"Who began it, and whose it will be.", "/parts?uploadId=" + *u.UploadId, 2},
		"GetBucketAcl":         {"The owner has all rights.", "?acl", 2},
		"GetObjectAcl":         {"The owner has all rights.", "/k?acl", 2},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := a.In(t).Raw(http.MethodGet, tc.target, "").Body
			if found := strings.Count(got, owner); found != tc.owners || strings.Contains(got, a.Key.AccessKeyID) {
				t.Errorf("%s\nthe account is named %d times, want %d: %s", tc.reason, found, tc.owners, got)
			}
		})
	}
}

// TestTimesOfListings: no listing has more precision than HEAD.
func TestTimesOfListings(t *testing.T) {
	a := s3test.NewApp(t, s3test.Versioned)
	a.Put("k", "content")
	u := a.Begin("parts")
	a.Part(u, 1, "part")
	for _, target := range []string{"", "?list-type=2", "?versions", "?uploads", "/parts?uploadId=" + *u.UploadId} {
		got := a.Raw(http.MethodGet, target, "").Body
		times := regexp.MustCompile(`<(?:LastModified|Initiated)>([^<]*)<`).FindAllStringSubmatch(got, -1)
		if len(times) == 0 {
			t.Errorf("GET %s has no times: %s", target, got)
		}
		for _, found := range times {
			if !strings.HasSuffix(found[1], ".000Z") {
				t.Errorf("GET %s has the time %s", target, found[1])
			}
		}
	}
}
