package store_test

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
	"github.com/cosi-emu/cosi-emu/internal/store"
)

// TestConditionsDisclose: a key that may only write cannot learn ETags by trying.
func TestConditionsDisclose(t *testing.T) {
	s := serve(t, store.Options{})
	s.bucket(t, "photos")
	a := &app{T: t, store: s, bucket: ptr("photos"), key: s.account(t, "reader", allAccess("photos"))}
	a.s3 = s.client(t, a.key)
	etag := *a.put("k", "content").ETag
	writer := *a
	writer.key = s.account(t, "writer", fakedriver.Grant{Bucket: "photos", ObjectData: fakedriver.WriteOnly})
	deletion := "<Delete><Object><Key>k</Key><ETag>" + etag + "</ETag></Object></Delete>"
	tests := map[string]struct {
		reason, method, target, body string
		header                       []string
		want                         int
	}{
		"Put":         {"It says whether the ETag is right.", "PUT", "/k", "new", []string{"If-Match", etag}, 403},
		"PutOther":    {"It says whether the ETag is wrong.", "PUT", "/k", "new", []string{"If-Match", `"x"`}, 403},
		"PutNot":      {"It says whether the ETag is right.", "PUT", "/k", "new", []string{"If-None-Match", etag}, 403},
		"Delete":      {"It says whether the ETag is right.", "DELETE", "/k", "", []string{"If-Match", `"x"`}, 403},
		"Absent":      {"It says only whether there is an object.", "PUT", "/k", "new", []string{"If-None-Match", "*"}, 412},
		"DeleteMany":  {"The answer has an error for the object.", "POST", "?delete", deletion, nil, 200},
		"WithoutETag": {"Nothing is disclosed.", "PUT", "/other", "new", nil, 200},
	}
	for name, tc := range tests {
		got := writer.in(t).raw(tc.method, tc.target, tc.body, tc.header...)
		if got.status != tc.want || (name == "DeleteMany" && !strings.Contains(got.body, "<Code>AccessDenied</Code>")) {
			t.Errorf("%s: %s\nanswer %d, want %d: %s", name, tc.reason, got.status, tc.want, got.body)
		}
	}
	if content, _ := a.read("k", ""); content != "content" {
		t.Errorf("the object is %q", content)
	}
	if got := a.raw(http.MethodPut, "/k", "new", "If-None-Match", etag); got.status != 412 || code(t, got.body) != "PreconditionFailed" {
		t.Errorf("If-None-Match with the ETag: answer %d: %s", got.status, got.body)
	}
	if got := a.raw(http.MethodPut, "/k", "new", "If-None-Match", `"x"`); got.status != 200 {
		t.Errorf("If-None-Match with another ETag: answer %d: %s", got.status, got.body)
	}
}

// TestHeadersAsSent: values that S3 returns unchanged.
func TestHeadersAsSent(t *testing.T) {
	a := newApp(t)
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
			a, want := a.in(t), tc.want
			if want == nil {
				want = tc.header
			}
			a.raw(http.MethodPut, "/k", "content", tc.header...)
			if got := a.raw(http.MethodGet, "/k", "").header.Get(want[0]); got != want[1] {
				t.Errorf("%s\n%s is %q, want %q", tc.reason, want[0], got, want[1])
			}
		})
	}
}

// TestListingDetails: keys are encoded as in URLs, times equal HEAD's, and an empty token is none.
func TestListingDetails(t *testing.T) {
	a := newApp(t)
	for _, key := range []string{"a+b", "quux ab/cd", "x y"} {
		a.put(key, "content")
	}
	got := a.raw(http.MethodGet, "?list-type=2&encoding-type=url&delimiter=/&continuation-token=&prefix=", "").body
	for _, want := range []string{
		"<Key>a%2Bb</Key>", "<Key>x%20y</Key>", "<Prefix>quux%20ab/</Prefix>",
		"<ContinuationToken></ContinuationToken>", "<KeyCount>3</KeyCount>",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the listing lacks %s: %s", want, got)
		}
	}
	if got := a.raw(http.MethodGet, "?list-type=2", "").body; strings.Contains(got, "ContinuationToken") {
		t.Errorf("the listing has a token that was not sent: %s", got)
	}
	list, err := a.s3.ListObjectsV2(t.Context(), &s3.ListObjectsV2Input{Bucket: a.bucket})
	a.must(err)
	listed := map[string]time.Time{}
	want := map[string]time.Time{}
	for _, object := range list.Contents {
		listed[*object.Key], want[*object.Key] = *object.LastModified, *a.head(*object.Key, "").LastModified
	}
	if diff := cmp.Diff(want, listed); diff != "" {
		t.Errorf("times: -HEAD, +listing:\n%s", diff)
	}
}

// TestSuspendedMarker: a deletion while versioning is suspended is version null.
func TestSuspendedMarker(t *testing.T) {
	a := newApp(t, versioned)
	a.put("k", "content")
	a.configure(types.BucketVersioningStatusSuspended)
	if got := a.remove("k", ""); aws.ToString(got.VersionId) != "null" || !aws.ToBool(got.DeleteMarker) {
		t.Errorf("DeleteObject() = version %q, marker %v", aws.ToString(got.VersionId), got.DeleteMarker)
	}
	a.put("k", "content")
	out, err := a.s3.DeleteObjects(t.Context(), &s3.DeleteObjectsInput{Bucket: a.bucket, Delete: &types.Delete{
		Objects: []types.ObjectIdentifier{{Key: ptr("k")}},
	}})
	a.must(err)
	if got := out.Deleted[0]; aws.ToString(got.DeleteMarkerVersionId) != "null" || !aws.ToBool(got.DeleteMarker) {
		t.Errorf("DeleteObjects() = %+v", got)
	}
}

// TestOwnerIsAccount: documents name the account as the owner, and not its key, which changes.
func TestOwnerIsAccount(t *testing.T) {
	a := newApp(t, versioned)
	a.put("k", "content")
	a.remove("gone", "")
	u := a.begin("parts")
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
			got := a.in(t).raw(http.MethodGet, tc.target, "").body
			if found := strings.Count(got, owner); found != tc.owners || strings.Contains(got, a.key.AccessKeyID) {
				t.Errorf("%s\nthe account is named %d times, want %d: %s", tc.reason, found, tc.owners, got)
			}
		})
	}
}

// TestTimesOfListings: no listing has more precision than HEAD.
func TestTimesOfListings(t *testing.T) {
	a := newApp(t, versioned)
	a.put("k", "content")
	u := a.begin("parts")
	a.part(u, 1, "part")
	for _, target := range []string{"", "?list-type=2", "?versions", "?uploads", "/parts?uploadId=" + *u.UploadId} {
		got := a.raw(http.MethodGet, target, "").body
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
