package s3_test

import (
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/httpserver"
	"github.com/cosi-emu/cosi-emu/test/s3test"
)

func TestE81Modes(t *testing.T) {
	s, c := s3test.Fixture(t, s3test.Options{})
	s3test.Put(t, c, "k", "content")
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
			got := s3test.Denied(t, s.Client(t, s.Account(t, "app-"+name, tc.grant)))
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\ndenied operations: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// KEP: API-ACCESS-3
func TestSeveralBuckets(t *testing.T) {
	s := s3test.Serve(t, s3test.Options{})
	s.Bucket(t, "photos")
	s.Bucket(t, "archive")
	app := s.Account(t, "app", fakedriver.Grant{Bucket: "archive", ObjectData: fakedriver.ReadOnly}, s3test.ReadWrite("photos"))
	c := s.Client(t, app)
	s3test.Put(t, c, "k", "content")
	copies := func(from, to string) string {
		_, err := c.CopyObject(t.Context(), &s3.CopyObjectInput{Bucket: new(to), Key: new("k2"), CopySource: new(from + "/k")})
		return s3test.Failure(t, err)
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
	s := s3test.Serve(t, s3test.Options{})
	s.Bucket(t, "photos")
	app := s.Account(t, "app", s3test.ReadWrite("photos"))
	c := s.Client(t, app)
	s3test.Put(t, c, "k", "content")
	if _, err := c.DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: new("photos"), Key: new("k")}); err != nil {
		t.Fatal(err)
	}
	if err := s.DeleteBucket(t.Context(), s3test.Owner, "photos"); err != nil {
		t.Fatal(err)
	}
	list := func() string {
		_, err := c.ListObjectsV2(t.Context(), &s3.ListObjectsV2Input{Bucket: new("photos")})
		return s3test.Failure(t, err)
	}
	if got := list(); got != "NoSuchBucket" {
		t.Errorf("after deletion: %q", got)
	}
	s.Bucket(t, "photos")
	if got := list(); got != "AccessDenied" {
		t.Errorf("after another was created: %q", got)
	}
	if again := s.Account(t, "app", s3test.ReadWrite("photos")); again != app {
		t.Error("a second grant changed the credentials")
	}
	if got := list(); got != "" {
		t.Errorf("after the second grant: %q", got)
	}
}

func TestUploadsOverTLS(t *testing.T) {
	t.Setenv("AWS_CA_BUNDLE", "")
	var kind atomic.Value
	var s *s3test.Server
	s = s3test.Serve(t, s3test.Options{Middleware: func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if s.Describe(r) == (httpserver.Request{Operation: "PutObject", Bucket: "photos", Key: "k"}) {
				kind.Store(r.Header.Get("X-Amz-Content-Sha256"))
			}
			next.ServeHTTP(w, r)
		})
	}})
	s.Bucket(t, "photos")
	secure := s3test.NewTLS(t, s)
	c := s.Client(t, s.Account(t, "app", s3test.ReadWrite("photos")), func(o *s3.Options) {
		o.BaseEndpoint, o.HTTPClient = &secure.URL, secure.Client()
	})
	s3test.Put(t, c, "k", strings.Repeat("framing must not be stored ", 10_000))
	if got := s3test.Get(t, c, "k"); got != strings.Repeat("framing must not be stored ", 10_000) {
		t.Errorf("the object has %d bytes, and begins with %.40q", len(got), got)
	}
	if got := kind.Load(); got != "STREAMING-UNSIGNED-PAYLOAD-TRAILER" {
		t.Errorf("the SDK has uploaded as %v, so this test shows nothing", got)
	}
	in := &s3.GetObjectInput{Bucket: new("photos"), Key: new("k"), Range: new("bytes=8-11")}
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
	_, c := s3test.Fixture(t, s3test.Options{})
	s3test.Put(t, c, "k", "content")
	presigned, err := s3.NewPresignClient(c).PresignGetObject(t.Context(), &s3.GetObjectInput{Bucket: new("photos"), Key: new("k")})
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
