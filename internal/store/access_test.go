package store_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/httpserver"
	"github.com/cosi-emu/cosi-emu/internal/store"
)

// failure returns the S3 error code of a client's error, or "". Responses to HEAD have only a
// status.
func failure(t *testing.T, err error) string {
	t.Helper()
	if err == nil {
		return ""
	}
	rejected, ok := errors.AsType[smithy.APIError](err)
	if !ok {
		t.Fatalf("not an answer of S3: %v", err)
	}
	return rejected.ErrorCode()
}

// denied runs one operation of each kind on object "k", and returns the denied ones.
func denied(t *testing.T, c *s3.Client) []string {
	t.Helper()
	bucket, key := ptr("photos"), ptr("k")
	var denied []string
	for _, call := range []struct {
		name string
		run  func() error
	}{
		{"put", func() error {
			_, err := c.PutObject(t.Context(), &s3.PutObjectInput{Bucket: bucket, Key: key, Body: strings.NewReader("x")})
			return err
		}},
		{"get", func() error {
			out, err := c.GetObject(t.Context(), &s3.GetObjectInput{Bucket: bucket, Key: key})
			if err == nil {
				err = out.Body.Close()
			}
			return err
		}},
		{"head", func() error {
			_, err := c.HeadObject(t.Context(), &s3.HeadObjectInput{Bucket: bucket, Key: key})
			return err
		}},
		{"list", func() error {
			_, err := c.ListObjectsV2(t.Context(), &s3.ListObjectsV2Input{Bucket: bucket})
			return err
		}},
		{"copy", func() error {
			_, err := c.CopyObject(t.Context(), &s3.CopyObjectInput{Bucket: bucket, Key: ptr("copy"), CopySource: ptr("photos/k")})
			return err
		}},
		{"policy", func() error {
			_, err := c.GetBucketPolicy(t.Context(), &s3.GetBucketPolicyInput{Bucket: bucket})
			return err
		}},
		{"headBucket", func() error {
			_, err := c.HeadBucket(t.Context(), &s3.HeadBucketInput{Bucket: bucket})
			return err
		}},
		{"multipart", func() error {
			_, err := c.CreateMultipartUpload(t.Context(), &s3.CreateMultipartUploadInput{Bucket: bucket, Key: ptr("big")})
			return err
		}},
		{"delete", func() error {
			_, err := c.DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: bucket, Key: ptr("never")})
			return err
		}},
	} {
		if code := failure(t, call.run()); code == "AccessDenied" || code == "Forbidden" {
			denied = append(denied, call.name)
		}
	}
	return denied
}

func TestE81Modes(t *testing.T) {
	s, c := fixture(t, store.Options{})
	put(t, c, "k", "content")
	tests := map[string]struct {
		reason string
		grant  fakedriver.Grant
		want   []string
	}{
		// KEP: API-ACCESS-MODE-1
		"ReadWrite": {reason: "All of it.", grant: fakedriver.Grant{ObjectData: fakedriver.ReadWrite}},
		// KEP: API-ACCESS-MODE-3
		"ReadOnly": {
			reason: "Changes are denied, and a copy is one.", grant: fakedriver.Grant{ObjectData: fakedriver.ReadOnly},
			want: []string{"put", "copy", "multipart", "delete"},
		},
		// KEP: API-ACCESS-MODE-2
		"WriteOnly": {
			reason: "Reading is denied, and a copy reads.", grant: fakedriver.Grant{ObjectData: fakedriver.WriteOnly},
			want: []string{"get", "head", "list", "copy", "policy"},
		},
		// KEP: API-ACCESS-MODE-4
		"Nothing": {
			reason: "What was not requested is not granted.", grant: fakedriver.Grant{},
			want: []string{"put", "get", "head", "list", "copy", "policy", "multipart", "delete"},
		},
		"ObjectMetadata": {
			reason: "The metadata of objects without their data.", grant: fakedriver.Grant{ObjectMetadata: fakedriver.ReadWrite},
			want: []string{"put", "get", "list", "copy", "policy", "multipart", "delete"},
		},
		"BucketMetadata": {
			reason: "The bucket without its objects.", grant: fakedriver.Grant{BucketMetadata: fakedriver.ReadWrite},
			want: []string{"put", "get", "head", "list", "copy", "multipart", "delete"},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			tc.grant.Bucket = "photos"
			got := denied(t, s.client(t, s.account(t, "app-"+name, tc.grant)))
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\ndenied operations: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// KEP: API-ACCESS-3
func TestSeveralBuckets(t *testing.T) {
	s := serve(t, store.Options{})
	s.bucket(t, "photos")
	s.bucket(t, "archive")
	app := s.account(t, "app", fakedriver.Grant{Bucket: "archive", ObjectData: fakedriver.ReadOnly}, readWrite("photos"))
	c := s.client(t, app)
	put(t, c, "k", "content")
	copies := func(from, to string) string {
		_, err := c.CopyObject(t.Context(), &s3.CopyObjectInput{Bucket: ptr(to), Key: ptr("k2"), CopySource: ptr(from + "/k")})
		return failure(t, err)
	}
	if got := copies("photos", "archive"); got != "AccessDenied" {
		t.Errorf("copying to a read-only bucket: %q", got)
	}
	if got := copies("archive", "photos"); got != "NoSuchKey" {
		t.Errorf("copying from a read-only bucket, which lacks the key: %q", got)
	}
}

// TestFollowingBucket deletes a bucket and creates it again: keys to the first do not work for the
// second, until they are granted again.
func TestFollowingBucket(t *testing.T) {
	s := serve(t, store.Options{})
	s.bucket(t, "photos")
	app := s.account(t, "app", readWrite("photos"))
	c := s.client(t, app)
	put(t, c, "k", "content")
	if _, err := c.DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: ptr("photos"), Key: ptr("k")}); err != nil {
		t.Fatal(err)
	}
	if err := s.DeleteBucket(t.Context(), owner, "photos"); err != nil {
		t.Fatal(err)
	}
	list := func() string {
		_, err := c.ListObjectsV2(t.Context(), &s3.ListObjectsV2Input{Bucket: ptr("photos")})
		return failure(t, err)
	}
	if got := list(); got != "NoSuchBucket" {
		t.Errorf("after deletion: %q", got)
	}
	s.bucket(t, "photos")
	if got := list(); got != "AccessDenied" {
		t.Errorf("after another was created: %q", got)
	}
	if again := s.account(t, "app", readWrite("photos")); again != app {
		t.Error("a second grant changed the credentials")
	}
	if got := list(); got != "" {
		t.Errorf("after the second grant: %q", got)
	}
}

func TestUploadsOverTLS(t *testing.T) {
	t.Setenv("AWS_CA_BUNDLE", "")
	var kind atomic.Value
	var s *server
	s = serve(t, store.Options{Middleware: func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if s.Describe(r) == (httpserver.Request{Operation: "PutObject", Bucket: "photos", Key: "k"}) {
				kind.Store(r.Header.Get("X-Amz-Content-Sha256"))
			}
			next.ServeHTTP(w, r)
		})
	}})
	s.bucket(t, "photos")
	secure := newTLS(t, s)
	c := s.client(t, s.account(t, "app", readWrite("photos")), func(o *s3.Options) {
		o.BaseEndpoint, o.HTTPClient = &secure.URL, secure.Client()
	})
	put(t, c, "k", strings.Repeat("framing must not be stored ", 10_000))
	if got := get(t, c, "k"); got != strings.Repeat("framing must not be stored ", 10_000) {
		t.Errorf("the object has %d bytes, and begins with %.40q", len(got), got)
	}
	if got := kind.Load(); got != "STREAMING-UNSIGNED-PAYLOAD-TRAILER" {
		t.Errorf("the SDK has uploaded as %v, so this test shows nothing", got)
	}
	in := &s3.GetObjectInput{Bucket: ptr("photos"), Key: ptr("k"), Range: ptr("bytes=8-11")}
	out, err := c.GetObject(t.Context(), in)
	if err != nil {
		t.Fatalf("GetObject() of a range: %v", err)
	}
	defer func() { _ = out.Body.Close() }()
	if got := *out.ContentRange; got != "bytes 8-11/270000" {
		t.Errorf("Content-Range = %q", got)
	}
}

func TestMetadataAndHeaders(t *testing.T) {
	_, c := fixture(t, store.Options{})
	put(t, c, "k", "content")
	presigned, err := s3.NewPresignClient(c).PresignGetObject(t.Context(), &s3.GetObjectInput{Bucket: ptr("photos"), Key: ptr("k")})
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, presigned.URL, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	for name := range response.Header {
		lower := strings.ToLower(name)
		expected := slices.Contains([]string{"x-amz-meta-colour", "x-amz-request-id", "x-amz-id-2"}, lower) ||
			strings.HasPrefix(lower, "x-amz-checksum-") // the SDK requests it in the URL
		if (strings.HasPrefix(lower, "x-amz-") && !expected) || strings.HasPrefix(lower, "access-control") {
			t.Errorf("the answer has the header %s, which the uploader has sent or was not requested", name)
		}
	}
	if response.Header.Get("X-Amz-Request-Id") == "" || response.Header.Get("Content-Type") == "" {
		t.Errorf("the answer lacks headers: %v", response.Header)
	}
}
